"""The section `api`: a server of its own and an nginx beside it, for atoll-bench-api to measure."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

import measure

DEADLINE = 60
PYTHON = ["/usr/bin/python3", "-c", "print(1)"]
LIFE = "create, print(1), delete: python-default"

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
user root; events {{}}
http {{
  access_log off; keepalive_requests 1000000000; default_type application/json;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


def children_of(pid):
    """Everything below a process: pid -> when it began, which tells it from a later one of the same number."""
    parents, begun = {}, {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)], begun[int(folder.name)] = int(fields[1]), fields[19]
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {child: begun[child] for child in found - {pid}}


def still_there(processes):
    """But for zygotes, which belong to the host and end when nobody has needed them for a while."""
    return [pid for pid, begun in processes.items() if begun_at(pid) == begun and not is_zygote(pid)]


def is_zygote(pid):
    with contextlib.suppress(OSError):
        return b"\0zygote\0" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def begun_at(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return None


class Server:
    """`atoll serve` on a free port, with SQLite in a folder of its own and a key."""

    def __init__(self, atoll, data, *key_options):
        self.data = data
        self.key = measure.output_of([atoll, "key", "create", "--data", data, "--role", "owner", *key_options]).split()[-1]
        self.log = open(f"{data}.log", "wb")
        self.process = subprocess.Popen([atoll, "serve", "--listen", "127.0.0.1:0", "--data", data], env=measure.ENV,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("atoll listens on "):
                self.address = line.split()[-1]
                self.port = int(self.address.rpartition(":")[2])
                return
        raise RuntimeError(f"atoll serve did not start: {pathlib.Path(self.log.name).read_text()[-300:]}")

    def stop(self):
        """Ends it, and says what it left behind: processes, mounts, sockets."""
        below = children_of(self.process.pid)
        self.process.terminate()
        try:
            status = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        self.log.close()
        deadline = time.monotonic() + 5  # its launcher ends when it sees that it is alone
        while (running := still_there(below)) and time.monotonic() < deadline:
            time.sleep(0.01)
        left = [f"process {pid}" for pid in running]
        mounts = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
        left += [f"mount {line.split()[4]}" for line in mounts if self.data in line]
        left += [f"sandbox {name}" for name in os.listdir(pathlib.Path(self.data, "sandboxes"))]
        return left + ([f"status {status}"] if status != 0 else [])


@contextlib.contextmanager
def running_nginx(scratch, body, out):
    """(port, pid) of an nginx with one worker that serves `body` as /health, or None without one."""
    program = shutil.which("nginx", path=measure.ENV["PATH"])
    if not program:
        out.note("nginx is left out: it is not installed")
        yield None
        return
    folder = scratch / "nginx"
    (folder / "www").mkdir(parents=True)
    (folder / "www" / "health").write_bytes(body)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
    process = subprocess.Popen([program, "-c", str(folder / "nginx.conf")], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                yield port, process.pid
                return
        raise RuntimeError("nginx did not start")
    finally:
        process.terminate()
        process.wait(DEADLINE)


def api(out, bin_dir, scratch, docker, quick):
    """Atoll as its clients see it, over HTTP."""
    program = bin_dir / "atoll-bench-api"
    scratch.chmod(0o711)  # the server becomes another user on its way
    server = Server(str(bin_dir / "atoll"), str(scratch / "api"))
    try:
        with urllib.request.urlopen(server.address + "/health", timeout=DEADLINE) as answer:
            body = answer.read()
        with running_nginx(scratch, body, out) as nginx:
            argv = [str(program), "--port", str(server.port), "--key", server.key, "--server", str(server.process.pid)]
            argv += ["--nginx-port", str(nginx[0]), "--nginx", str(nginx[1])] if nginx else []
            out.add_rows("api", json.loads(measure.output_of(argv + (["--quick"] if quick else []), timeout=1200))["rows"])
        if docker:
            samples = measure.take_turns([("docker run", docker.run(PYTHON))], 3 if quick else 10, 0.0)
            out.add_latency("api", LIFE, "docker run", "hot", samples["docker run"])
    finally:
        left = server.stop()
        if left:
            out.fail(f"the server left something behind: {', '.join(left[:10])}")
