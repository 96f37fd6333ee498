"""The real atoll-egress between a small internet (egress_internet.py) and the namespaces of sandboxes."""

import contextlib
import errno
import json
import os
import random
import resource
import socket
import ssl
import struct
import subprocess
import tempfile
import unittest

import harness
from egress_internet import (GOOD, GOOD6, HOST, LIBC, MANY, METADATA, OTHER, PATIENCE, PRIVATE, RESOLVER, Internet, Netns,
                             Resolver, Server, dns_answer, dns_query, echo, enter, listen, name_bytes, read_head, web)

BLOCKED = "198.18.0.2"


class Gone(Exception):
    """atoll-egress has closed the control connection."""


class Control:
    """A client of the control protocol."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.number, self.refusals = 0, []

    def receive(self):
        def exactly(size):
            data = b""
            while len(data) < size:
                try:
                    more = self.socket.recv(size - len(data))
                except ConnectionResetError:
                    more = b""
                if not more:
                    raise Gone()
                data += more
            return data
        reply = json.loads(exactly(struct.unpack(">I", exactly(4))[0]))
        self.refusals += reply.get("refusals", [])
        return reply

    def ask(self, fds=(), **request):
        self.number += 1
        body = json.dumps({"id": self.number, **request}).encode()
        frame = struct.pack(">I", len(body)) + body
        try:
            sent = socket.send_fds(self.socket, [frame], list(fds)) if fds else 0
            self.socket.sendall(frame[sent:])
        except (BrokenPipeError, ConnectionResetError):
            raise Gone() from None
        while (reply := self.receive()).get("id") != self.number:
            pass
        return reply

    def wait_for(self, **wanted):
        """The first refusal with these members."""
        while True:
            for one in self.refusals:
                if all(one[key] == value for key, value in wanted.items()):
                    return one
            self.receive()

    def heard(self, **wanted):
        """Whether such a refusal was told by now."""
        self.ask(hello={})
        return any(all(one[key] == value for key, value in wanted.items()) for one in self.refusals)

    def close(self):
        self.socket.close()


def policy(*allow, default="deny", rules=(), private=()):
    return {"default": default, "rules": [*rules, *({"action": "allow", "target": name, "ports": []} for name in allow)],
            "allow_private": list(private), "headers": {}, "secrets": [], "no_intercept": []}


def rule(target, *ports, action="allow"):
    return {"action": action, "target": target, "ports": [{"first": port, "last": port} for port in ports]}


class Egress:
    """The real program with its real arguments, in the namespace `netns`."""

    def __init__(self, build, netns, folder, *words, uid=None, limits=(), program="bin/atoll-egress"):
        self.path = f"{folder}/egress-{random.randrange(1 << 48):x}.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        os.chmod(self.path, 0o600)
        listener.listen(16)

        def prepare():
            enter(netns.fd)
            for kind, most in limits:
                resource.setrlimit(kind, (most, most))
            if uid is not None:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
        self.process = subprocess.Popen(
            [f"{build}/{program}", "--control-fd", str(listener.fileno()), "--client-uid", str(os.getuid()), *words],
            pass_fds=[listener.fileno()], preexec_fn=prepare, stdin=subprocess.DEVNULL)
        listener.close()

    def worker(self):
        def find():
            children = harness.read(f"/proc/{self.process.pid}/task/{self.process.pid}/children").split()
            return int(children[0]) if children else 0
        return harness.poll_until(find, PATIENCE)

    def end(self):
        self.process.kill()
        self.process.wait()


class Reset:
    """A connection that was reset before anything could be said."""

    def sendall(self, _):
        raise ConnectionResetError(errno.ECONNRESET, "reset")

    recv = sendall

    def close(self):
        pass


class Box:
    """A sandbox's network namespace, attached."""

    def __init__(self, build, sockets=("security-cases/egress-sockets",)):
        self.netns, self.build = Netns(), build
        self.listener, self.dns = self.make_sockets(*sockets)

    def make_sockets(self, program="security-cases/egress-sockets", *words):
        ours, its = socket.socketpair()
        with ours:
            try:
                self.netns.run(f"{self.build}/{program}", *words, stdin=its)
            finally:
                its.close()
            _, fds, _, _ = socket.recv_fds(ours, 1, 2)
        return fds

    def let_go(self):
        for fd in (self.listener, self.dns):
            os.close(fd)

    def close(self):
        self.netns.close()

    # ---- what user code does

    def connect(self, address, port):
        made = self.netns.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        try:
            made.connect((address, port))
        except ConnectionResetError:  # it was, and is not any more
            made.close()
            return Reset()
        return made

    def ask(self, name, kind=1, server="198.18.0.53", raw=None):
        with self.netns.socket(kind=socket.SOCK_DGRAM) as asker:
            asker.connect((server, 53))
            asker.send(dns_query(name, kind, raw=raw))
            return dns_answer(asker.recv(4096))

    def address(self, name):
        status, addresses, _ = self.ask(name)
        if status or not addresses:
            raise AssertionError(f"{name}: status {status}, no address")
        return addresses[0]

    def open(self, name, port):
        return self.connect(self.address(name), port)


def fate(connection, send=b"", size=1 << 20):
    """What a client reads after it has sent something: bytes up to the end, or the error's name."""
    data = bytearray()
    try:
        if send:
            connection.sendall(send)
        while len(data) < size:
            more = connection.recv(min(size - len(data), 1 << 20))
            if not more:
                break
            data += more
    except OSError as error:
        if isinstance(error, TimeoutError):
            raise
        return errno.errorcode.get(error.errno, str(error))
    finally:
        connection.close()
    return bytes(data)


def client_hello(name=None):
    """The first flight of an ordinary TLS client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with contextlib.suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


def alert(number):
    return bytes([0x15, 3, 1, 0, 2, 2, number])


class World(unittest.TestCase):
    """One internet and one atoll-egress for each test."""

    BUILD = ""

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("makes network namespaces")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        world = Internet(self)
        self.host, self.internet, self.resolver = world.host, world.outside, world.resolver
        self.egress = self.start()
        self.control = self.client()
        self.settings()

    def namespace(self):
        made = Netns()
        self.addCleanup(made.close)
        return made

    def start(self, *words, **options):
        egress = Egress(self.BUILD, self.host, self.folder, *words, **options)
        self.addCleanup(egress.end)
        return egress

    def client(self, egress=None):
        control = Control((egress or self.egress).path)
        self.addCleanup(control.close)
        return control

    def settings(self, **more):
        reply = self.control.ask(settings={"resolvers": [RESOLVER], **more})
        self.assertNotIn("error", reply)

    def serve(self, port, handler=echo, address=GOOD):
        server = Server(self.internet, address, port, handler)
        self.addCleanup(server.close)
        return server

    def box(self, rules=None, name="box", **options):
        box = Box(self.BUILD, **options)
        self.addCleanup(box.close)
        self.attach(box, rules or policy("good.test"), name)
        return box

    def attach(self, box, rules, name="box", control=None, **more):
        reply = (control or self.control).ask(fds=(box.listener, box.dns),
                                              attach={"sandbox": name, "policy": rules, **more})
        self.assertNotIn("error", reply)
        box.let_go()


def main():
    import argparse
    import sys
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    arguments, rest = parser.parse_known_args()
    World.BUILD = arguments.build
    unittest.main(module="__main__", argv=[sys.argv[0], "-v", *rest], warnings="ignore")
