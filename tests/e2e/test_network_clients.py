"""Real programs in sandboxes, against HTTPS servers of the test: what works, with TLS that is opened for a secret and
with TLS that is not. The table is in docs/network.md.

usage: test_network_clients.py [--write]     (--write puts the table into docs/network.md)
"""
import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import threading
import unittest
import zipfile

import support
from network_case import OTHER, NetworkCase
from egress_internet import PATIENCE
from egress_tls import Signer, Site, server_context

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/network.md"
BEGIN, END = "<!-- clients: begin -->\n", "<!-- clients: end -->\n"
SIZE = 16 << 20
VALUE = "tok-clients-never-inside"
OPENED, PLAIN = "api.test", "www.test"  # the first has a secret

# What each can be asked for; the scripts print the names of what worked.
ALL = ["fetch", "download", "upload", "events", "websocket"]
MOST = ALL[:4]
CLIENTS = {
    "curl": (["sh", "/clients/commands.sh", "curl"], MOST),
    "wget": (["sh", "/clients/commands.sh", "wget"], MOST),
    "git": (["sh", "/clients/commands.sh", "git"], ["fetch"]),
    "Python urllib": (["/usr/bin/python3", "/clients/client.py", "urllib"], MOST),
    "Python requests": (["/usr/bin/python3", "/clients/client.py", "requests"], MOST),
    "Python httpx": (["/usr/bin/python3", "/clients/client.py", "httpx"], MOST),
    "Python aiohttp": (["/usr/bin/python3", "/clients/client.py", "aiohttp"], ALL),
    "pip": (["sh", "/clients/commands.sh", "pip"], ["fetch"]),
    "Node.js fetch": (["node", "/clients/client.mjs"], MOST),
    "npm": (["sh", "/clients/commands.sh", "npm"], ["fetch"]),
    "Go net/http": (["/clients/client-go"], MOST),
    "cargo": (["sh", "/clients/commands.sh", "cargo"], ["fetch"]),
    "Java HttpClient": (["java", "-cp", "/clients", "Client"], ["fetch", "download", "upload", "websocket"]),
}


def table(worked):
    """`worked`: client → host → names of what worked."""
    lines = ["| client | fetch | 16 MiB down | 16 MiB up | events as they come | WebSocket |", "|---|---|---|---|---|---|"]
    for client, (_, asked) in CLIENTS.items():
        cells = []
        for what in ALL:
            hosts = [host for host in (PLAIN, OPENED) if what in worked[client].get(host, ())]
            cells.append("–" if what not in asked else {2: "both", 0: "no"}.get(len(hosts)) or
                         ("opened only" if OPENED in hosts else "not opened only"))
        lines.append(f"| {client} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def git_repository(folder, files):
    """A bare one with these files, for git's own server program."""
    environment = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a.test", "GIT_COMMITTER_NAME": "a",
                   "GIT_COMMITTER_EMAIL": "a@a.test", "GIT_CONFIG_GLOBAL": "/dev/null"}

    def git(*words):
        subprocess.run(["git", *words], check=True, env=environment, timeout=PATIENCE, capture_output=True)
    work = folder.with_name(folder.name + "-work")
    git("init", "-q", "-b", "master", str(work))
    for name, text in files.items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text)
    git("-C", str(work), "add", ".")
    git("-C", str(work), "commit", "-q", "-m", "one")
    git("clone", "-q", "--bare", str(work), str(folder))


def wheel():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        info = "demo-1.0.dist-info"
        file.writestr("demo.py", "")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", f"demo.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return held.getvalue()


def npm_package():
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as file:
        for name, text in (("package/package.json", '{"name": "demo", "version": "1.0.0"}'), ("package/index.js", "")):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            file.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(held.getvalue())


class World(Site):
    """Everything that the clients ask for, on one host."""

    def __init__(self, context, name, folder):
        super().__init__(context)
        self.name, self.folder = name, folder
        self.acknowledged = threading.Semaphore(0)
        self.wheel, self.package = wheel(), npm_package()

    def say(self, connection, body, kind="text/html"):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                           % (kind.encode(), len(body), body))
        return True

    def answer(self, connection, stream, request):
        path = request.target.partition("?")[0]
        if request.get("upgrade") == "websocket":
            return self.echo_frames(connection, stream, request)
        if path.startswith(("/repository", "/crate")):
            return self.serve_git(connection, request)
        if path == "/ack":
            self.acknowledged.release()
            return self.say(connection, b"ok")
        if path == "/stream":
            return self.send_events(connection)
        if path == "/simple/demo/":
            digest = hashlib.sha256(self.wheel).hexdigest()
            name = "demo-1.0-py3-none-any.whl"
            return self.say(connection, f'<a href="/files/{name}#sha256={digest}">{name}</a>'.encode())
        if path.startswith("/files/"):
            return self.say(connection, self.wheel, "application/octet-stream")
        if path == "/demo":
            return self.say(connection, self.npm_metadata(), "application/json")
        if path == "/demo.tgz":
            return self.say(connection, self.package, "application/octet-stream")
        return super().answer(connection, stream, request)

    def npm_metadata(self):
        digest = base64.b64encode(hashlib.sha512(self.package).digest()).decode()
        version = {"name": "demo", "version": "1.0.0",
                   "dist": {"tarball": f"https://{self.name}/demo.tgz", "integrity": f"sha512-{digest}"}}
        return json.dumps({"name": "demo", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}).encode()

    def send_events(self, connection):
        """Each waits until the client has said that it read the one before."""
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        for number in range(3):
            connection.sendall(b"data: %d\n\n" % number)
            if not self.acknowledged.acquire(timeout=4 * PATIENCE):
                return False
        return False

    def echo_frames(self, connection, stream, request):
        accept = base64.b64encode(hashlib.sha1((request.get("sec-websocket-key") +
                                                "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                           b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        first, size = stream.read(2)  # a short masked text
        mask, data = stream.read(4), stream.read(size & 127)
        plain = bytes(one ^ mask[i % 4] for i, one in enumerate(data))
        connection.sendall(bytes([first, len(plain)]) + plain)
        stream.read(1)  # it closes when it has read that
        return False

    def serve_git(self, connection, request):
        path, _, query = request.target.partition("?")
        if path.startswith("/repository") and not request.get("authorization"):
            connection.sendall(b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n')
            return True
        environment = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.folder), "GIT_HTTP_EXPORT_ALL": "1",
                       "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": request.method,
                       "CONTENT_TYPE": request.get("content-type"), "REMOTE_USER": "user", "GIT_CONFIG_COUNT": "1",
                       "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
                       "HTTP_CONTENT_ENCODING": request.get("content-encoding"), "GIT_PROTOCOL": request.get("git-protocol")}
        out = subprocess.run(["git", "http-backend"], input=request.start, env=environment, capture_output=True,
                             timeout=PATIENCE).stdout
        head, _, body = out.partition(b"\r\n\r\n")
        status = b"200 OK"
        if head.startswith(b"Status: "):
            status = head.split(b"\r\n")[0].removeprefix(b"Status: ")
        connection.sendall(b"HTTP/1.1 %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s" % (status, head, len(body), body))
        return True


class Clients(NetworkCase):
    def setUp(self):
        super().setUp()
        self.sites = {}
        for name, address in ((OPENED, None), (PLAIN, OTHER)):
            folder = self.folder / name
            folder.mkdir()
            git_repository(folder / "repository", {"file": "text\n"})
            git_repository(folder / "crate", {"Cargo.toml": '[package]\nname = "demo"\nversion = "1.0.0"\n',
                                              "src/lib.rs": ""})
            self.sites[name] = self.serve_site(name, folder, **({"address": address} if address else {}))
        self.clients = self.folder / "clients"
        shutil.copytree(HERE / "network_clients", self.clients)
        self.clients.chmod(0o755)
        self.compile(["javac", "-d", str(self.clients), str(self.clients / "Client.java")])
        go = shutil.which("go") or "/usr/local/go/bin/go"
        self.compile([go, "build", "-o", str(self.clients / "client-go"), str(self.clients / "client.go")],
                     CGO_ENABLED="0", GOTOOLCHAIN="local", GO111MODULE="off")

    def compile(self, words, **environment):
        done = subprocess.run(words, env={**os.environ, "HOME": os.environ.get("HOME", "/root"), **environment},
                              capture_output=True, text=True, timeout=480)
        self.assertEqual(done.returncode, 0, done.stderr)

    def serve_site(self, name, folder, **where):
        if self.signer is None:
            self.signer = Signer(self.folder, "internet")
        site = World(server_context(self.signer.issue(name)), name, folder)
        self.world.resolver.names[name] = [where.get("address", "93.184.216.34")]
        self.world.serve(443, site, **where)
        return site

    def ask(self, client, host):
        words, _ = CLIENTS[client]
        options = ["-q", "--memory", "1g", "--cpus", "2", "--timeout", "4m", "--mount", f"{self.clients}:/clients",
                   "--allow-net", f"{PLAIN}:443", "--secret", "TOKEN=@env:TOKEN", "--secret-host", f"TOKEN={OPENED}"]
        done = subprocess.run(self.on_host(support.ATOLL, "run", *options, "--", *words, host, str(SIZE)),
                              capture_output=True, timeout=300, stdin=subprocess.DEVNULL, cwd="/",
                              env={**os.environ, "TOKEN": VALUE})
        outcome = support.Outcome(done)
        self.assertNotIn(VALUE, outcome.out + outcome.err)
        return outcome

    def test_each_with_tls_opened_and_not(self):
        worked = {}
        for client, (_, asked) in CLIENTS.items():
            worked[client] = {}
            for host in (PLAIN, OPENED):
                with self.subTest(client=client, host=host):
                    outcome = self.ask(client, host)
                    worked[client][host] = outcome.out.split()
                    self.assertEqual((outcome.out.split(), outcome.code), (asked, 0), outcome)
        # The value was there for one host, and never for the other.
        for host, expected in ((OPENED, True), (PLAIN, False)):
            said = {request.get("authorization") for request in self.sites[host].requests}
            self.assertEqual(f"Bearer {VALUE}" in said, expected, host)
            basic = base64.b64encode(f"user:{VALUE}".encode()).decode()
            self.assertEqual(f"Basic {basic}" in said, expected, host)
        text = PAGE.read_text()
        head, _, rest = text.partition(BEGIN)
        now, _, tail = rest.partition(END)
        if os.environ.get("ATOLL_WRITE_TABLE"):
            PAGE.write_text(head + BEGIN + table(worked) + END + tail)
            return
        self.assertEqual(now, table(worked))


if __name__ == "__main__":
    if "--write" in sys.argv:
        sys.argv.remove("--write")
        os.environ["ATOLL_WRITE_TABLE"] = "1"
    unittest.main()
