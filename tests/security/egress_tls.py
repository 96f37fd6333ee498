"""What tests of opened TLS need besides egress_world: authorities that sign as a test wants, HTTPS servers that say
what reached them, and sandboxes whose policies have secrets.
"""

import base64
import errno
import hashlib
import json
import socket
import ssl
import subprocess
import time
from pathlib import Path

from egress_world import GOOD, PATIENCE, Box, World, fate, policy

PLACEHOLDER = "atoll_secret_00112233445566778899aabbccddeeff"
OTHER_PLACEHOLDER = "atoll_secret_ffeeddccbbaa99887766554433221100"
VALUE = "tok-3f9a77c1-never-inside"


def openssl(*words, **options):
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=PATIENCE, **options)


class Signer:
    """An authority of the test: of the instance, or of the internet."""

    def __init__(self, folder, name):
        self.folder, self.name, self.count = Path(folder), name, 0
        self.key, self.certificate = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                "-subj", f"/CN={name}", "-keyout", str(self.key), "-out", str(self.certificate))

    def pem(self):
        return self.key.read_text() + self.certificate.read_text()

    def issue(self, name, days=30):
        """Paths of a certificate and its key."""
        self.count += 1
        stem = self.folder / f"{self.name}-{self.count}"
        key, request, certificate, names = (stem.with_suffix(end) for end in (".key", ".csr", ".crt", ".ext"))
        names.write_text(f"subjectAltName=DNS:{name}\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=server",
                "-keyout", str(key), "-out", str(request))
        openssl("x509", "-req", "-in", str(request), "-CA", str(self.certificate), "-CAkey", str(self.key),
                "-CAcreateserial", "-days", str(days), "-extfile", str(names), "-out", str(certificate))
        return certificate, key


def server_context(pair, alpn=("http/1.1",)):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*map(str, pair))
    if alpn:
        context.set_alpn_protocols(list(alpn))
    return context


class Request:
    """One request as it reached a server, body and all."""

    def __init__(self, stream, connection):
        line = stream.readline(1 << 20)
        if not line:
            raise EOFError
        self.line, self.fields = line.decode("latin-1").strip(), []
        while (line := stream.readline(1 << 20)) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            self.fields.append([name, value.strip()])
        self.method, self.target = self.line.split(" ")[:2]
        if self.get("expect").lower() == "100-continue":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.digest, self.size, self.start = hashlib.sha256(), 0, b""
        if self.get("transfer-encoding") == "chunked":
            while size := int(stream.readline(1 << 10), 16):
                self.take(stream, size)
                stream.readline()
            stream.readline()
        else:
            self.take(stream, int(self.get("content-length") or 0))

    def take(self, stream, left):
        while left:
            data = stream.read(min(left, 1 << 16))
            if not data:
                raise EOFError
            self.digest.update(data)
            self.start += data[:1000 - len(self.start)]
            self.size, left = self.size + len(data), left - len(data)

    def get(self, name):
        return next((value for key, value in self.fields if key.lower() == name), "")

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name]


def pattern(size):
    """Bytes that are not the same everywhere, piece by piece."""
    piece = bytes(range(251)) * 261
    while size:
        yield piece[:size]
        size -= min(size, len(piece))


def digest_of(size):
    digest = hashlib.sha256()
    for piece in pattern(size):
        digest.update(piece)
    return digest.hexdigest()


class Site:
    """An HTTPS server's handler; remembers what reached it."""

    def __init__(self, context):
        self.context, self.requests, self.failures = context, [], []

    def __call__(self, raw):
        try:
            connection = self.context.wrap_socket(raw, server_side=True)
        except (ssl.SSLError, OSError) as error:
            self.failures.append(str(error))
            return
        self.talk(connection)

    def talk(self, connection):
        stream = connection.makefile("rb")
        try:
            while True:
                request = Request(stream, connection)
                self.requests.append(request)
                if not self.answer(connection, stream, request):
                    break
        except (EOFError, OSError, ValueError):
            pass
        finally:
            stream.close()
            try:
                connection.unwrap()
            except (OSError, ValueError):
                pass
            connection.close()

    def answer(self, connection, stream, request):
        path, _, rest = request.target.partition("?")
        if request.get("upgrade") == "websocket":
            accept = base64.b64encode(hashlib.sha1((request.get("sec-websocket-key") +
                                                    "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                               b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            while data := stream.read1(65536):
                connection.sendall(data)
            return False
        if path == "/big":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % int(rest))
            for piece in pattern(int(rest)):
                connection.sendall(piece)
            return True
        if path == "/chunks":
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in pattern(int(rest)):
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            connection.sendall(b"0\r\n\r\n")
            return True
        if path == "/away":
            connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: https://other.test/\r\nContent-Length: 0\r\n\r\n")
            return True
        if path == "/events":
            # Each event waits until the test says that it has read the one before.
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            for number in range(3):
                connection.sendall(b"data: %d\n\n" % number)
                if not self.next_event.wait(PATIENCE):
                    return False
                self.next_event.clear()
            return False
        body = json.dumps({"line": request.line, "fields": request.fields, "size": request.size,
                           "sha256": request.digest.hexdigest()}).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" %
                           (len(body), b"" if request.method == "HEAD" else body))
        return request.get("connection").lower() != "close"


def use(env="TOKEN", secret="token", *hosts):
    return {"env": env, "secret": secret, "hosts": list(hosts or ("good.test",))}


def given(values=None, placeholders=None):
    """What the client hands over with a policy."""
    values = {"token": VALUE} if values is None else values
    return {"values": {name: base64.b64encode(value.encode()).decode() for name, value in values.items()},
            "placeholders": {"TOKEN": PLACEHOLDER} if placeholders is None else placeholders}


class TlsWorld(World):
    """An internet with authorities, and an instance with its own."""

    def setUp(self):
        super().setUp()
        self.root, self.instance = Signer(self.folder, "root"), Signer(self.folder, "instance")
        self.settings(authority=self.instance.pem(), roots=self.root.certificate.read_text())

    def site(self, name="good.test", address=GOOD, port=443, issuer=None, days=30, alpn=("http/1.1",), pair=None):
        site = Site(server_context(pair or (issuer or self.root).issue(name, days), alpn))
        site.server = self.serve(port, site, address)
        return site

    def secret_policy(self, *allow, headers=None, secrets=(), no_intercept=()):
        made = policy(*(allow or ("good.test", "other.test")))
        made["headers"], made["secrets"], made["no_intercept"] = headers or {}, list(secrets), list(no_intercept)
        return made

    def secret_box(self, rules=None, secrets=None, name="box"):
        box = Box(self.BUILD)
        self.addCleanup(box.close)
        reply = self.control.ask(fds=(box.listener, box.dns), attach={
            "sandbox": name, "policy": rules or self.secret_policy(secrets=[use()]), "secrets": secrets or given()})
        self.assertNotIn("error", reply)
        box.let_go()
        return box

    def trust(self, alpn=("http/1.1",), version=None):
        context = ssl.create_default_context(cafile=str(self.instance.certificate))
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if version:
            context.maximum_version = version
        return context

    def secure(self, box, name="good.test", port=443, **options):
        """An open TLS connection from within."""
        raw = box.open(name, port)
        if not isinstance(raw, socket.socket):
            raise ConnectionResetError(errno.ECONNRESET, "reset")
        try:
            return self.trust(**options).wrap_socket(raw, server_hostname=name)
        except BaseException:
            raw.close()
            raise

    def asks(self, box, data, name="good.test", port=443, **options):
        """Everything that comes back for these bytes."""
        connection = self.secure(box, name, port, **options)
        return fate(connection, data)

    def get(self, box, *fields, name="good.test", target="/", method="GET", body=b""):
        """The answer's status and body, over a connection of its own."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {name}", "Connection: close", *fields]
        answer = self.asks(box, "\r\n".join([*lines, "", ""]).encode() + body, name)
        head, _, rest = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), rest


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.02)

