"""A Docker engine of our own for the time of the run: own socket, own data, an image made from Debian packages."""
import contextlib
import os
import shutil
import subprocess
import time

import measure

IMAGE = "atoll-bench"


class Docker:
    def __init__(self, socket):
        self.client = ["docker", "-H", f"unix://{socket}"]
        self.box = None

    def run(self, command):
        return [*self.client, "run", "--rm", "--network", "none", IMAGE, *command]

    def exec(self, command):
        if self.box is None:
            self.box = measure.output_of([*self.client, "run", "-d", "--network", "none", IMAGE, "sleep", "3600"]).strip()
        return [*self.client, "exec", self.box, *command]


def install():
    missing = [p for p, tool in (("docker.io", "dockerd"), ("mmdebstrap", "mmdebstrap")) if not shutil.which(tool, path=measure.ENV["PATH"])]
    if missing:
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *missing], env=env, check=True, stdout=subprocess.DEVNULL)


def make_image(docker, scratch):
    """A Debian 12 with Python, as one layer."""
    archive = scratch / "image.tar"
    sources = next((p for p in ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list") if os.path.exists(p)), None)
    command = ["mmdebstrap", "--variant=minbase", "--include=python3-minimal", "bookworm", str(archive)]
    subprocess.run(command + ([sources] if sources else []), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    measure.output_of([*docker.client, "import", str(archive), IMAGE], timeout=300)


@contextlib.contextmanager
def maybe(wanted, scratch, out, prepare=make_image):
    """Gives a Docker that `prepare` got ready, or None when it was not wanted or cannot be started."""
    if not wanted:
        yield None
        return
    daemon = None
    try:
        install()
        socket = scratch / "docker.sock"
        log = open(scratch / "dockerd.log", "wb")
        daemon = subprocess.Popen(
            ["dockerd", "-H", f"unix://{socket}", "--data-root", str(scratch / "data"), "--exec-root", str(scratch / "exec"),
             "--pidfile", str(scratch / "docker.pid"), "--bridge", "none", "--iptables=false", "--ip6tables=false"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        docker = Docker(socket)
        deadline = time.monotonic() + 60
        while subprocess.run([*docker.client, "info"], capture_output=True).returncode != 0:
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((scratch / "dockerd.log").read_text(errors="replace").strip().splitlines()[-1])
            time.sleep(0.3)
        prepare(docker, scratch)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        out.note(f"docker is left out: {error}")
        docker = None
    try:
        yield docker
    finally:
        if docker and docker.box:
            subprocess.run([*docker.client, "rm", "-f", docker.box], capture_output=True)
        if daemon:
            daemon.terminate()
            daemon.wait(30)
