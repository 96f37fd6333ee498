"""A small internet for tests: network namespaces that the test makes, a resolver and servers in them. Nothing is
ever sent anywhere else.

Sockets of any namespace are made by threads of the test itself: a socket stays where it was made.
"""

import contextlib
import ctypes
import os
import random
import signal
import socket
import struct
import subprocess
import threading

import harness

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
PATIENCE = 30 * harness.SLOWER  # seconds that anything may take

HOST = "93.184.216.1"  # atoll-egress runs here; its own address, and a public one
RESOLVER = "93.184.216.53"
GOOD, OTHER, MANY = "93.184.216.34", "93.184.216.35", "93.184.216.36"
GOOD6 = "2a00:1450::34"
PRIVATE, METADATA = "10.1.2.3", "169.254.169.254"


def enter(fd):
    if LIBC.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Netns:
    """A network namespace that lives as long as its descriptor or a socket of it."""

    def __init__(self):
        ready, told = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(told, b"+" if LIBC.unshare(CLONE_NEWNET) == 0 else b"-")
            signal.pause()
        try:
            if os.read(ready, 1) != b"+":
                raise OSError("unshare(CLONE_NEWNET) failed")
            self.fd = os.open(f"/proc/{child}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(ready)
            os.close(told)

    def close(self):
        os.close(self.fd)

    @contextlib.contextmanager
    def entered(self):
        own = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            enter(self.fd)
            yield
        finally:
            enter(own)
            os.close(own)

    def run(self, *words, **options):
        return subprocess.run(words, preexec_fn=lambda: enter(self.fd), check=True, timeout=PATIENCE, **options)

    def socket(self, family=socket.AF_INET, kind=socket.SOCK_STREAM):
        with self.entered():
            made = socket.socket(family, kind)
        made.settimeout(PATIENCE)
        return made


def listen(netns, address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = netns.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.settimeout(None)
    server.bind((address, port))
    server.listen(1024)
    return server


class Server:
    """Accepts on one port and gives each connection to a thread."""

    def __init__(self, netns, address, port, handler):
        self.connections = 0
        self.socket = listen(netns, address, port)
        self.handler = handler
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            self.open.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError):
            self.handler(connection)
        with contextlib.suppress(OSError):
            connection.close()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.close()


def echo(connection):
    while data := connection.recv(65536):
        connection.sendall(data)


def read_head(connection, start=b""):
    data = start
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None, data
        data += more
    head, rest = data.split(b"\r\n\r\n", 1)
    return head.decode("latin-1"), rest


def web(connection):
    """HTTP with kept connections; the answer says what was asked. Bodies by Content-Length only."""
    rest = b""
    while True:
        head, rest = read_head(connection, rest)
        if head is None:
            return
        lines = head.split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if fields.get("upgrade") == "websocket":
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
            connection.sendall(rest)
            return echo(connection)
        length = int(fields.get("content-length", 0))
        while len(rest) < length:
            rest += connection.recv(65536)
        rest = rest[length:]
        text = f"{lines[0]} host={fields.get('host')} upgrade={fields.get('upgrade')}".encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))


def name_bytes(name):
    return b"".join(bytes([len(label)]) + label.encode("latin-1") for label in name.split(".") if label) + b"\0"


def dns_query(name, kind=1, number=None, raw=None):
    number = random.randrange(65536) if number is None else number
    return struct.pack(">HHHHHH", number, 0x100, 1, 0, 0, 0) + (raw or name_bytes(name)) + struct.pack(">HH", kind, 1)


def dns_answer(message):
    """(status, addresses, text of PTR) of an answer of ours: the question, and at most one record."""
    _, flags, _, answers, _, _ = struct.unpack(">HHHHHH", message[:12])
    if not answers:
        return flags & 15, [], None
    kind, _, _, size = struct.unpack(">HHIH", message[-(10 + size_of_last(message)):][:10])
    data = message[-size:]
    if kind == 1:
        return flags & 15, [socket.inet_ntoa(data)], None
    labels, at = [], 0
    while data[at]:
        labels.append(data[at + 1:at + 1 + data[at]].decode())
        at += 1 + data[at]
    return flags & 15, [], ".".join(labels)


def size_of_last(message):
    """The size of the only record's data: its name is a pointer right behind the question."""
    at = 12
    while message[at]:
        at += 1 + message[at]
    at += 1 + 4  # end of the name, type and class
    return struct.unpack(">H", message[at + 10:at + 12])[0]


class Resolver:
    """The resolver outside: `names` maps to addresses, or to a function that gives them at each question."""

    def __init__(self, netns, address=RESOLVER):
        self.names, self.asked, self.ttl, self.silent = {}, [], 1, False
        self.aliases = {}
        self.socket = netns.socket(kind=socket.SOCK_DGRAM)
        self.socket.settimeout(None)
        self.socket.bind((address, 53))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                message, peer = self.socket.recvfrom(4096)
            except OSError:
                return
            if not self.silent:
                with contextlib.suppress(OSError):
                    self.socket.sendto(self.answer(message), peer)

    def answer(self, message):
        at, labels = 12, []
        while message[at]:
            labels.append(message[at + 1:at + 1 + message[at]].decode())
            at += 1 + message[at]
        name, kind = ".".join(labels), struct.unpack(">H", message[at + 1:at + 3])[0]
        self.asked.append(name)
        question, records, count = message[12:at + 5], b"", 0
        owner = b"\xc0\x0c"
        if name in self.aliases:
            target = name_bytes(self.aliases[name])
            records += owner + struct.pack(">HHIH", 5, 1, self.ttl, len(target)) + target
            count, owner, name = 1, target, self.aliases[name]
        found = self.names.get(name)
        if found is None and not count:
            return message[:2] + struct.pack(">HHHHH", 0x8183, 1, 0, 0, 0) + question
        for address in (found() if callable(found) else found or []):
            six = ":" in address
            if kind != (28 if six else 1):
                continue
            data = socket.inet_pton(socket.AF_INET6 if six else socket.AF_INET, address)
            records += owner + struct.pack(">HHIH", kind, 1, self.ttl, len(data)) + data
            count += 1
        return message[:2] + struct.pack(">HHHHH", 0x8180, 1, count, 0, 0) + question + records

    def close(self):
        self.socket.close()


NAMES = {"good.test": [GOOD], "other.test": [OTHER], "private.test": [PRIVATE], "meta.test": [METADATA],
         "own.test": [HOST], "six.test": [GOOD6]}


class Internet:
    """`host`, where Atoll runs, `outside` with the servers, and a resolver there. Of one test case."""

    def __init__(self, case):
        self.case = case
        self.host, self.outside = self.namespace(), self.namespace()
        self.host.run("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns",
                      f"/proc/{os.getpid()}/fd/{self.outside.fd}")
        for netns, link, addresses in (
                (self.host, "v0", [f"{HOST}/24", "2a00:1450::1/64"]),
                (self.outside, "v1", [f"{RESOLVER}/24", f"{GOOD}/24", f"{OTHER}/24", f"{MANY}/24", f"{PRIVATE}/32",
                                      f"{METADATA}/32", f"{GOOD6}/64"])):
            lines = ["link set lo up", f"link set {link} up"]
            lines += [f"address add {one} dev {link}" + (" nodad" if ":" in one else "") for one in addresses]
            if link == "v0":
                lines += ["route add default dev v0"]
            netns.run("ip", "-batch", "-", input="\n".join(lines).encode())
        self.resolver = Resolver(self.outside)
        case.addCleanup(self.resolver.close)
        self.resolver.names = dict(NAMES)

    def namespace(self):
        made = Netns()
        self.case.addCleanup(made.close)
        return made

    def serve(self, port, handler=echo, address=GOOD):
        server = Server(self.outside, address, port, handler)
        self.case.addCleanup(server.close)
        return server
