#!/usr/bin/env python3
"""Egress: very many connections and sandboxes, and what a sandbox's own netlink and Unix sockets lead to.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_crowd_test.py --build DIR
"""
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_world import GOOD, PATIENCE, Box, World, enter, fate, main, policy

MANY = 9000
IPV6_TRANSPARENT = 75

ECHO = """
import resource, select, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
listener = socket.create_server((sys.argv[1], 7000), backlog=4096)
listener.setblocking(False)
poll, open_ones = select.epoll(), {}
poll.register(listener, select.EPOLLIN)
print("ready", flush=True)
while True:
    for fd, _ in poll.poll():
        if fd == listener.fileno():
            try:
                one, _ = listener.accept()
            except BlockingIOError:
                continue
            open_ones[one.fileno()] = one
            poll.register(one, select.EPOLLIN)
            continue
        try:
            data = open_ones[fd].recv(4096)
            open_ones[fd].send(data)
        except OSError:
            data = b""
        if not data:
            poll.unregister(fd)
            open_ones.pop(fd).close()
"""

CROWD = """
import resource, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
open_ones = []
for _ in range(int(sys.argv[2])):
    open_ones.append(socket.create_connection((sys.argv[1], 7000), timeout=120))
for number, one in enumerate(open_ones):
    one.sendall(b"%d\\n" % number)
bad = sum(one.makefile("rb").readline() != b"%d\\n" % number for number, one in enumerate(open_ones))
print(len(open_ones), bad, flush=True)
sys.stdin.read()
"""

# Deletes the table of rules that brings connections to the listener.
DELETE_TABLE = """
import errno, os, socket, struct
def message(kind, flags, body):
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 0, 0) + body
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
name = struct.pack("=HH", 6, 1) + b"a\\0\\0\\0"
link.send(message(16, 1, b"\\0\\0\\0\\x0a") + message(0xa02, 5, b"\\1\\0\\0\\0" + name) + message(17, 1, b"\\0\\0\\0\\x0a"))
number = -struct.unpack("=i", link.recv(4096)[16:20])[0]
print(errno.errorcode.get(number, "done"))
"""

ABSTRACT = """
import errno, socket, sys
try:
    socket.socket(socket.AF_UNIX).connect("\\0" + sys.argv[1])
    print("connected")
except OSError as error:
    print(errno.errorcode[error.errno])
"""


class Crowd(World):
    def program(self, netns, code, *words, **options):
        process = subprocess.Popen(["/usr/bin/python3", "-c", code, *words], preexec_fn=lambda: enter(netns.fd),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.communicate()

    def test_32_nine_thousand_connections(self):
        """Two descriptors each, and a few kilobytes."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        count = min(MANY, hard * 9 // 20)
        self.settings(max_connections=count, tenant_connections=count)
        server = self.program(self.internet, ECHO, GOOD)
        self.assertEqual(server.stdout.readline(), "ready\n")
        box = self.box()
        address = box.address("good.test")
        worker = self.egress.worker()
        before = int(harness.status_of(worker)["VmRSS"].split()[0])
        held = len(os.listdir(f"/proc/{worker}/fd"))
        crowd = self.program(box.netns, CROWD, address, str(count))
        self.assertEqual(crowd.stdout.readline(), f"{count} 0\n")
        self.assertEqual(len(self.figures()["connections"]), count)
        grown = int(harness.status_of(worker)["VmRSS"].split()[0]) - before
        self.assertLess(grown, count * 4)  # KiB
        # One more waits for room, and gets it when the others go.
        late = box.connect(address, 7000)
        late.sendall(b"late\n")
        neighbour = self.box(policy("good.test"), "neighbour")
        self.assertEqual(fate(neighbour.open("good.test", 7000), b"hello", size=5), b"hello")
        self.end(crowd)
        self.assertEqual(fate(late, size=5), b"late\n")
        self.assertTrue(harness.poll_until(lambda: not self.figures()["connections"], PATIENCE))
        self.assertTrue(harness.poll_until(lambda: len(os.listdir(f"/proc/{worker}/fd")) <= held + 2, PATIENCE))

    def figures(self):
        return self.control.ask(figures={"sandbox": "box"})["figures"]

    def sockets_in(self, netns):
        """What the launcher makes for each sandbox of a namespace that has its routes and rules."""
        with netns.entered():
            listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
            dns = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.setsockopt(socket.IPPROTO_IPV6, IPV6_TRANSPARENT, 1)
        listener.bind(("::", 1))
        listener.listen(4096)
        dns.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        dns.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
        dns.bind(("::", 53))
        return listener, dns

    def test_48_a_thousand_sandboxes(self):
        """Forty namespaces, twenty-five sandboxes one after the other in each; all of it is free afterwards.

        A pair of links, one of them in the namespace, tells when that is gone: the other goes with it.
        """
        self.serve(7000)
        self.control.ask(hello={})
        worker = self.egress.worker()
        before = len(os.listdir(f"/proc/{worker}/fd"))
        links = self.namespace()
        for place in range(40):
            box = Box(self.BUILD)
            box.let_go()
            links.run("ip", "link", "add", f"p{place}", "type", "veth", "peer", "name", "inner", "netns",
                      f"/proc/{os.getpid()}/fd/{box.netns.fd}")
            for number in range(25):
                listener, dns = self.sockets_in(box.netns)
                name = f"box{place}-{number}"
                reply = self.control.ask(fds=(listener.fileno(), dns.fileno()),
                                         attach={"sandbox": name, "policy": policy("good.test")})
                self.assertNotIn("error", reply)
                listener.close()
                dns.close()
                connection = box.open("good.test", 7000)
                connection.sendall(b"x")
                self.assertEqual(connection.recv(1), b"x")
                self.assertNotIn("error", self.control.ask(detach={"sandbox": name}))
                connection.close()
            box.close()
        self.assertEqual(self.control.ask(hello={})["sandboxes"], [])
        self.assertEqual(len(os.listdir(f"/proc/{worker}/fd")), before)

        def left():
            out = links.run("ip", "-o", "link", capture_output=True).stdout.decode()
            return [line for line in out.splitlines() if ": p" in line]
        self.assertTrue(harness.poll_until(lambda: not left(), 2 * PATIENCE), left())


class Own(World):
    """What user code without powers reaches besides TCP and UDP."""

    def run_inside(self, netns, code, *words, uid=61234):
        def prepare():
            enter(netns.fd)
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        done = subprocess.run(["/usr/bin/python3", "-c", code, *words], capture_output=True, text=True,
                              timeout=2 * PATIENCE, preexec_fn=prepare)
        return done.stdout.strip() or done.stderr

    def test_28_the_rules_stay(self):
        self.serve(7000)
        box = self.box()
        self.assertEqual(self.run_inside(box.netns, DELETE_TABLE), "EPERM")
        self.assertEqual(fate(box.open("good.test", 7000), b"x", size=1), b"x")
        # Without the wall they are gone, and so is the way out.
        self.assertEqual(self.run_inside(box.netns, DELETE_TABLE, uid=0), "done")
        with self.assertRaises(ConnectionRefusedError):
            box.open("good.test", 7000)

    def test_30_abstract_sockets_of_the_host(self):
        """Sockets with a path are case 30_host_sockets; those without belong to a network namespace."""
        box = self.box(policy(default="allow"))
        name = f"egress-{os.getpid()}"
        with self.host.entered():
            own = socket.socket(socket.AF_UNIX)
        own.bind("\0" + name)
        own.listen()
        self.assertEqual(self.run_inside(box.netns, ABSTRACT, name), "ECONNREFUSED")
        self.assertEqual(self.run_inside(self.host, ABSTRACT, name), "connected")  # without the wall
        own.close()


if __name__ == "__main__":
    main()
