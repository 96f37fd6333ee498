#!/usr/bin/env python3
"""Runs a command beside an OpenSandbox server of its own, on a Docker engine of its own, and ends both afterwards.

usage: with_opensandbox.py [--tos FOLDER] -- COMMAND…   COMMAND finds `sandbox.backends.opensandbox` in
                                                         $ATOLL_TEST_OPENSANDBOX (JSON)
       with_opensandbox.py --install                     installs the server and its SDK where the cache lacks them

The server is the real one, from PyPI. Its agent inside sandboxes, execd, cannot be had that way: its Go module is not
published under its name and replaces another by a folder beside it, so `go install` refuses it. opensandbox_execd/
stands in for it; ATOLL_TEST_EXECD may name a real one. As a module: `with OpenSandbox() as server`.
"""
import argparse
import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import urllib.request
import venv
import zipapp

from with_dockerd import IMAGE, Dockerd, free_port, tied_to_parent

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "opensandbox-requirements.txt"
EXECD_IMAGE = "atoll-test-execd:latest"
DEFAULT_IMAGE = "opensandbox/code-interpreter:v1.0.1"  # what Atoll asks for when nobody says otherwise
NETWORK = "atoll-test"
KEY = "key-of-the-tests"
START_SECONDS = 60
# The part of execd's image that starts it beside the entry point of a sandbox.
BOOTSTRAP = b'#!/bin/sh\n/opt/opensandbox/execd > /dev/null 2>&1 &\nexec "$@"\n'
ENTRY_POINT = b"#!/bin/sh\nexec sleep infinity\n"


def environment():
    """The folder of the virtual environment; its name is that of what is in it."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll/opensandbox"
    key = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:16]
    return cache / key


def install():
    folder = environment()
    if (folder / "complete").exists():
        return
    shutil.rmtree(folder.parent, ignore_errors=True)
    venv.create(folder, with_pip=True)
    # The list is complete. Server and SDK disagree on a version of what only Kubernetes would need.
    subprocess.run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r",
                    REQUIREMENTS], check=True)
    (folder / "complete").touch()


def execd_program():
    if real := os.environ.get("ATOLL_TEST_EXECD"):
        return pathlib.Path(real).read_bytes()
    program = io.BytesIO()
    zipapp.create_archive(HERE / "opensandbox_execd", program, "/usr/bin/env python3",
                          filter=lambda path: path.suffix == ".py")
    return program.getvalue()


class OpenSandbox:
    def __init__(self, tos=None):
        self.tos, self.process, self.engine = tos, None, Dockerd()

    def __enter__(self):
        install()
        self.engine.__enter__()
        try:
            self.folder = self.engine.folder / "opensandbox"
            self.folder.mkdir()
            self.log = self.folder / "log"
            self.port = free_port()
            self.url = f"http://127.0.0.1:{self.port}"
            self.engine.call("POST", "/networks/create", {"Name": NETWORK, "Driver": "bridge"})
            self.make_image(EXECD_IMAGE, {"execd": execd_program(), "bootstrap.sh": BOOTSTRAP})
            self.make_image(DEFAULT_IMAGE, {"opt/opensandbox/code-interpreter.sh": ENTRY_POINT})
            self.write_config()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        self.engine.__exit__()

    def make_image(self, name, programs):
        """The image of the tests with a few programs more."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for path, content in programs.items():
                entry = tarfile.TarInfo(path)
                entry.size, entry.mode = len(content), 0o755
                tar.addfile(entry, io.BytesIO(content))
        made = json.loads(self.engine.call("POST", "/containers/create", {"Image": IMAGE, "Cmd": ["true"]})[1])["Id"]
        self.engine.call("PUT", f"/containers/{made}/archive?path=/", archive.getvalue(),
                         {"Content-Type": "application/x-tar"})
        repository, _, tag = name.partition(":")
        status, words = self.engine.call("POST", f"/commit?container={made}&repo={repository}&tag={tag}", {})
        if status != 201:
            raise SystemExit(f"with_opensandbox: no image {name}: {words.decode()}")
        self.engine.call("DELETE", f"/containers/{made}")

    def write_config(self):
        self.config = self.folder / "server.toml"
        folders = json.dumps([str(self.tos)] if self.tos else ["/nowhere"])
        self.config.write_text(f"""
[server]
host = "127.0.0.1"
port = {self.port}
api_key = "{KEY}"
[runtime]
type = "docker"
execd_image = "{EXECD_IMAGE}"
[docker]
network_mode = "{NETWORK}"
publish_host = "127.0.0.1"
[storage]
allowed_host_paths = {folders}
[store]
type = "sqlite"
path = "{self.folder}/store.db"
""")

    def start(self):
        values = {**os.environ, "SANDBOX_CONFIG_PATH": str(self.config), "HOME": str(self.folder),
                  "DOCKER_HOST": f"unix://{self.engine.socket}"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([environment() / "bin/opensandbox-server"], env=values, stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL, preexec_fn=tied_to_parent)
        until = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"with_opensandbox: the server did not start:\n{self.log.read_text()[-4000:]}")
            time.sleep(0.05)

    def stop(self, number=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def answers(self):
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def sandboxes(self):
        """All that the server has."""
        request = urllib.request.Request(f"{self.url}/v1/sandboxes?pageSize=200",
                                         headers={"OPEN-SANDBOX-API-KEY": KEY})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["items"]

    def settings(self):
        return {"local": {"serverUrl": self.url, "apiKey": KEY, "defaultImage": IMAGE, "tosPath": ""},
                "entrypoint": ["sleep", "infinity"]}


def main():
    parser = argparse.ArgumentParser(description="a command beside an OpenSandbox server of its own")
    parser.add_argument("--install", action="store_true", help="only install what is needed")
    parser.add_argument("--tos", type=pathlib.Path, help="a folder that sandboxes may be given")
    parser.add_argument("command", nargs="*")
    args = parser.parse_args()
    if args.install:
        return install()
    if not args.command:
        parser.error("no COMMAND")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with OpenSandbox(args.tos) as server:
        values = {**os.environ, "ATOLL_TEST_OPENSANDBOX": json.dumps(server.settings()),
                  "OPEN_SANDBOX_DOMAIN": server.url, "DOCKER_HOST": f"unix://{server.engine.socket}"}
        done = subprocess.run(args.command, env=values, preexec_fn=tied_to_parent)
        return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())
