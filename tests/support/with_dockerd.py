#!/usr/bin/env python3
"""Runs a command beside a Docker engine of its own, and ends that engine with all its containers afterwards.

usage: with_dockerd.py [--live-restore] -- COMMAND…        COMMAND finds the engine at $DOCKER_HOST (a Unix socket)
       with_dockerd.py --make-image                        makes the image of the tests where the cache lacks it

The engine's socket and folders are below a temporary folder, its images in memory; it has no default bridge and touches
no firewall.
The image, ATOLL_TEST_IMAGE, is Debian 12 with python3 and nodejs. As a module: `with Dockerd() as engine`.
"""
import argparse
import contextlib
import ctypes
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import cgroups

IMAGE = "atoll-test:latest"
PACKAGES = ["python3", "nodejs"]
LEFT_OUT = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*"]
DATA_SIZE = "1g"
START_SECONDS = 60
STOP_SECONDS = 30
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None, use_errno=True)


def image_archive():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll/docker"
    key = hashlib.sha256(json.dumps([PACKAGES, LEFT_OUT]).encode()).hexdigest()[:16]
    return cache / f"image-{key}.tar"


def make_image():
    archive = image_archive()
    if archive.exists():
        return
    archive.parent.mkdir(parents=True, exist_ok=True)
    for older in archive.parent.glob("image-*.tar"):
        older.unlink()
    command = ["mmdebstrap", "--variant=essential", "--include=" + ",".join(PACKAGES)]
    command += [f"--dpkgopt=path-exclude={glob}" for glob in LEFT_OUT]
    new = archive.with_suffix(f".{os.getpid()}.tar")
    try:
        sources = pathlib.Path("/etc/apt/sources.list.d/debian.sources")  # this host's mirror, where it names one
        subprocess.run([*command, "bookworm", new, *([sources] if sources.exists() else [])], check=True)
        new.rename(archive)
    finally:
        new.unlink(missing_ok=True)


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("docker", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def free_port():
    """For a program that cannot choose one itself. Below those that the kernel gives to connections: until that program
    listens, any of a neighbour's could have got it."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def tied_to_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def descendants(root):
    """Processes below root, from one look at /proc."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            parents.setdefault(int((entry / "stat").read_text().rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, left = [], [root]
    while left:
        below = parents.get(left.pop(), [])
        found += below
        left += below
    return found


class Dockerd:
    def __init__(self, live_restore=False, image=True):
        self.live_restore, self.image, self.process = live_restore, image, None

    def __enter__(self):
        # What a killed engine leaves (containerd, shims) becomes this process's child, to be ended at the end.
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="atoll-dockerd-"))
        self.folder.chmod(0o711)  # whoever has the socket's group must get to it
        self.socket, self.log = self.folder / "docker.sock", self.folder / "log"
        try:
            # Images and containers in memory: a disk takes seconds to write them and again to forget them.
            (self.folder / "data").mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DATA_SIZE},mode=711", "atoll-dockerd",
                            self.folder / "data"], check=True)
            self.start()
            if self.image:
                self.import_image()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.remove_made()
        self.stop()
        self.end_rest()
        self.remove_cgroups()
        with open("/proc/self/mounts") as mounts:
            left = [line.split()[1] for line in mounts if line.split()[1].startswith(f"{self.folder}/")]
        for mount in reversed(left):
            subprocess.run(["umount", "-l", mount], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *options):
        command = ["dockerd", *options, "-H", f"unix://{self.socket}", "--data-root", self.folder / "data", "--exec-root",
                   self.folder / "exec", "--pidfile", self.folder / "pid", "--bridge=none", "--iptables=false",
                   "--ip6tables=false", "--cgroup-parent", f"/{self.folder.name}"]
        command += ["--live-restore"] if self.live_restore else []
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True, preexec_fn=tied_to_parent)
        until = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"with_dockerd: the engine did not start:\n{self.log.read_text()[-4000:]}")
            time.sleep(0.02)

    def stop(self, number=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def end_rest(self):
        """What the engine started names its folder; nothing else here is ended."""
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until:
            left = []
            for pid in descendants(os.getpid()):
                with contextlib.suppress(OSError):
                    if str(self.folder).encode() in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                        left += [pid, *descendants(pid)]
            if not left:
                return
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.02)

    def answers(self):
        try:
            return self.call("GET", "/_ping")[0] == 200
        except OSError:
            return False

    def call(self, method, path, body=None, headers=None, timeout=STOP_SECONDS):
        """One request; (status, body)."""
        connection = Connection(self.socket, timeout)
        try:
            if isinstance(body, dict):
                body, headers = json.dumps(body), {"Content-Type": "application/json"}
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def import_image(self):
        make_image()
        name, _, tag = IMAGE.partition(":")
        with open(image_archive(), "rb") as archive:
            headers = {"Content-Length": str(os.fstat(archive.fileno()).st_size)}
            path = f"/images/create?fromSrc=-&repo={name}&tag={tag}"
            status, words = self.call("POST", path, archive, headers, timeout=300)
        if status != 200 or b'"error"' in words:
            raise SystemExit(f"with_dockerd: the image was refused: {words.decode()}")

    def remove_made(self):
        """Containers, and networks, whose bridges would outlive the engine."""
        for one in json.loads(self.call("GET", "/containers/json?all=1")[1]):
            self.call("DELETE", f"/containers/{one['Id']}?force=1&v=1")
        for one in json.loads(self.call("GET", "/networks")[1]):
            self.call("DELETE", f"/networks/{one['Id']}")

    def remove_cgroups(self):
        for top in cgroups.named(self.folder.name):
            for group in [*cgroups.below(top), top]:
                with contextlib.suppress(OSError):
                    group.rmdir()


def main():
    parser = argparse.ArgumentParser(description="a command beside a Docker engine of its own")
    parser.add_argument("--make-image", action="store_true", help="only make the image of the tests")
    parser.add_argument("--live-restore", action="store_true", help="containers outlive the engine")
    parser.add_argument("command", nargs="*")
    args = parser.parse_args()
    if args.make_image:
        return make_image()
    if not args.command:
        parser.error("no COMMAND")
    if os.geteuid() != 0:
        print(f"an engine needs root\n[  SKIPPED ] {pathlib.Path(args.command[0]).name}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Dockerd(args.live_restore) as engine:
        environment = {"DOCKER_HOST": f"unix://{engine.socket}", "ATOLL_TEST_IMAGE": IMAGE}
        done = subprocess.run(args.command, env={**os.environ, **environment}, preexec_fn=tied_to_parent)
        return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())
