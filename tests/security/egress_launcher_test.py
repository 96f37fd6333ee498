#!/usr/bin/env python3
"""The launcher's half of egress: it hands out the sockets of its sandboxes' networks, and of no other network.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_launcher_test.py --build DIR
"""

import errno
import os
import shutil
import signal
import socket
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from launcher_wire import (CREATE, DESTROY, EGRESS, EGRESS_OPEN, FAILED, USAGE, Create, Launcher, Limits, header,
                           launcher_arguments)

PATIENCE = 60
SO_NETNS_COOKIE = 71
ORDINARY = 61237  # nobody on a Debian host
# SYS_ADMIN SYS_PTRACE NET_ADMIN NET_BIND_SERVICE, as src/engine/net_process.cpp gives the reason for each.
NET_NEEDS = sum(1 << number for number in (10, 12, 19, 21))
# What one attempt to connect comes to.
CONNECT = """
import errno, socket, sys
s = socket.socket()
s.settimeout(60)
code = s.connect_ex((sys.argv[1], int(sys.argv[2])))
print(errno.errorcode.get(code, code) if code else s.recv(9).decode(), end="")
"""


def cookie(sock):
    """Which network namespace a socket belongs to."""
    return int.from_bytes(sock.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8), sys.byteorder)


def own_cookie():
    with socket.socket() as sock:
        return cookie(sock)


def children(pid):
    return [int(word) for word in harness.read(f"/proc/{pid}/task/{pid}/children").split()]


def host_network():
    """What egress would change."""
    return [harness.read(f"/proc/net/{name}") for name in ("route", "ipv6_route", "if_inet6")] + \
        [any(address in harness.read("/proc/net/fib_trie") for address in ("198.18.0.1", "198.18.0.53"))]


class EgressLauncher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def start(self, run="run", **options):
        launcher = Launcher(zygote_case.BUILD, f"{self.folder}/{run}", **options)
        self.addCleanup(launcher.end)
        return launcher

    def box(self, launcher, name, **options):
        box = launcher.box(name, **options)
        self.assertEqual(box.made["status"], 0, box.made)
        self.addCleanup(box.socket.close)
        return box

    def receive(self, launcher):
        """The next reply, and the sockets that came with it."""
        data, fds, _, _ = socket.recv_fds(launcher.socket, 8192, 8)
        sockets = [socket.socket(fileno=fd) for fd in fds]
        for one in sockets:
            self.addCleanup(one.close)
        return launcher.parse(data), sockets

    def open(self, launcher, name):
        launcher.send(header(EGRESS, name))
        return self.receive(launcher)

    def opened(self, launcher, name):
        reply, sockets = self.open(launcher, name)
        self.assertEqual((reply["op"], reply["status"], reply["id"]), (EGRESS, 0, name), reply)
        self.assertEqual([one.type for one in sockets], [socket.SOCK_STREAM, socket.SOCK_DGRAM])
        return sockets

    def refused(self, launcher, name, error):
        reply, sockets = self.open(launcher, name)
        self.assertEqual((reply["op"], reply["status"], reply["errno"], sockets), (EGRESS, FAILED, error, []), reply)

    def connect(self, box, address="203.0.113.7", port=4321):
        output, code = box.run("python3", "-c", CONNECT, address, str(port))
        self.assertEqual(code, 0, output)
        return output

    def expect_arrival(self, box, listener, address="203.0.113.7", port=4321):
        """A program inside connects there, and this listener gets it."""
        _, code = box.run("/bin/sh", "-c", f"python3 -c '{CONNECT}' {address} {port} > /tmp/said & echo")
        self.assertEqual(code, 0)
        listener.settimeout(PATIENCE)
        with listener.accept()[0] as accepted:
            self.assertEqual(accepted.getsockname()[:2], (f"::ffff:{address}", port))
            accepted.sendall(b"seen")
        said = harness.poll_until(lambda: box.run("cat", "/tmp/said")[0], PATIENCE)
        self.assertEqual(said, "seen")

    def helper(self, launcher):
        found, = [pid for pid in children(launcher.process.pid) if harness.name_of(pid) == "atoll-net"]
        return found

    def test_sockets_of_that_network_only(self):
        launcher = self.start()
        boxes = [self.box(launcher, name) for name in ("one", "two")]
        before = host_network()
        sockets = [self.opened(launcher, name) for name in ("one", "two")]
        cookies = [{cookie(one) for one in pair} for pair in sockets]
        self.assertEqual([len(each) for each in cookies], [1, 1])
        self.assertEqual(len(cookies[0] | cookies[1] | {own_cookie()}), 3)
        self.assertEqual(host_network(), before)
        # 29: what one says never reaches the sockets of the other.
        for box, pair in zip(boxes, sockets):
            self.expect_arrival(box, pair[0])
        for pair in sockets:
            pair[0].setblocking(False)
            self.assertRaises(BlockingIOError, pair[0].accept)

    def test_only_sandboxes_that_live_and_are_its_own(self):
        launcher, other = self.start(), self.start("other")
        self.box(launcher, "mine")
        gone = self.box(launcher, "gone")
        self.box(other, "theirs")
        self.assertEqual(gone.end()["status"], 0)
        for name in ("gone", "theirs", "never"):
            self.refused(launcher, name, errno.ENOENT)
        self.opened(launcher, "mine")
        self.opened(other, "theirs")

    def test_nothing_comes_with_it(self):
        """A request names a sandbox: no descriptor, and not a byte more."""
        launcher = self.start()
        self.box(launcher, "box")
        with open("/proc/self/ns/net", "rb") as netns, socket.socket() as sock:
            for request, given in ((header(EGRESS, "box"), [netns.fileno()]), (header(EGRESS, "box"), [sock.fileno()]),
                                   (bytes(header(EGRESS, "box")) + bytes(4), []), (header(EGRESS, ""), []),
                                   (bytes(header(EGRESS, "box"))[:-1], [])):
                launcher.send(request, given)
                reply, sockets = self.receive(launcher)
                self.assertEqual((reply["status"], reply["errno"], sockets), (FAILED, errno.EBADMSG, []))
        self.opened(launcher, "box")

    def test_never_the_host_s_network(self):
        """Where the wall is off, a sandbox has the host's network: then that is what it refuses."""
        programs = Path(self.folder, "programs")
        programs.mkdir()
        for folder, name in (("weak", "atoll-guest"), ("weak", "atoll-mounts"), ("bin", "atoll-net")):
            (programs / name).symlink_to(f"{zygote_case.BUILD}/{folder}/{name}")
        words = launcher_arguments(zygote_case.BUILD, f"{self.folder}/run")
        words[0] = f"{zygote_case.BUILD}/weak/atoll-launcher"
        words[words.index("--programs") + 1] = str(programs)
        before = host_network()
        with mock.patch.dict(os.environ, ATOLL_TEST_WALLS_OFF="network_namespace"):
            launcher = self.start(arguments=words)
            box = self.box(launcher, "box")
        inside, _ = box.run("readlink", "/proc/self/ns/net")
        self.assertEqual(inside.strip(), os.readlink("/proc/self/ns/net"))  # the attack's ground
        self.refused(launcher, "box", errno.EPERM)
        self.assertEqual(host_network(), before)

    def test_as_an_ordinary_user(self):
        """47: a launcher without root has the same powers over the networks of its own user namespace."""
        programs, own = Path(self.folder, "programs"), Path(self.folder, "own")
        programs.mkdir(0o755)
        for name in ("atoll-launcher", "atoll-guest", "atoll-mounts", "atoll-net"):
            shutil.copy(f"{zygote_case.BUILD}/bin/{name}", programs / name)
        own.mkdir(0o700)
        os.chown(own, ORDINARY, ORDINARY)
        words = launcher_arguments(zygote_case.BUILD, str(own / "run"))
        words[0] = str(programs / "atoll-launcher")
        words[words.index("--programs") + 1] = str(programs)
        words[words.index("--disks") + 1] = str(own / "disks")
        launcher = self.start(arguments=words, user=ORDINARY)
        box, other = self.box(launcher, "box"), self.box(launcher, "other")
        self.assertEqual(self.connect(box), "ENETUNREACH")
        for one in self.opened(launcher, "box"):
            one.close()
        listener, _ = self.opened(launcher, "box")
        self.expect_arrival(box, listener)
        # The helper was started where the launcher happened to stand; the host is still not opened.
        self.assertNotEqual(cookie(listener), own_cookie())
        self.assertEqual(self.connect(other), "ENETUNREACH")
        self.expect_arrival(other, self.opened(launcher, "other")[0])

    def test_the_next_tenant_finds_nothing(self):
        """Slots are lent again; the network that had routes and sockets is not."""
        launcher = self.start()
        for number in range(20):
            box = self.box(launcher, f"used-{number}")
            self.assertEqual(self.connect(box), "ENETUNREACH")
            listener, dns = self.opened(launcher, f"used-{number}")
            self.expect_arrival(box, listener)
            self.assertEqual(box.end()["status"], 0)
            listener.close()
            dns.close()

    def test_the_next_tenant_of_a_quiet_one(self):
        """Nothing was ever sent there, so no counter tells: the slot must know."""
        launcher = self.start()
        for number in range(3):
            quiet = self.box(launcher, f"quiet-{number}")
            for one in self.opened(launcher, f"quiet-{number}"):
                one.close()
            self.assertEqual(quiet.end()["status"], 0)
            following = self.box(launcher, f"following-{number}")
            self.assertEqual(self.connect(following), "ENETUNREACH")
            self.assertEqual(following.end()["status"], 0)

    def test_one_that_ends_meanwhile(self):
        """Its slot is the next one's at once: that one's network stays closed, and no socket is of it."""
        launcher = self.start()
        for _ in range(30):
            self.box(launcher, "ending")
            launcher.send(header(EGRESS, "ending"))
            launcher.send(header(DESTROY, "ending"))
            launcher.send(Create(header=header(CREATE, "next"), hostname=b"atoll",
                                 limits=Limits(256 << 20, 64 << 20, 0, 2000, 64, 256, 0)))
            replies = {}
            while len(replies) < 3:
                reply, sockets = self.receive(launcher)
                replies[reply["op"]] = reply
                for one in sockets:
                    one.close()
            self.assertEqual((replies[DESTROY]["status"], replies[CREATE]["status"]), (0, 0))
            self.assertIn(replies[EGRESS]["errno"] if replies[EGRESS]["status"] else 0, (0, errno.ESRCH, errno.ENOENT))
            launcher.send(header(DESTROY, "next"))
            self.assertEqual(self.receive(launcher)[0]["status"], 0)
            following = self.box(launcher, "following")
            self.assertEqual(self.connect(following), "ENETUNREACH")
            self.assertEqual(following.end()["status"], 0)

    def test_again_when_they_are_closed(self):
        launcher = self.start()
        box = self.box(launcher, "box")
        for one in self.opened(launcher, "box"):
            self.refused(launcher, "box", errno.EADDRINUSE)
            one.close()
        # 36: nobody holds them, so nothing hangs.
        self.assertEqual(self.connect(box), "ECONNREFUSED")
        self.expect_arrival(box, self.opened(launcher, "box")[0])

    def test_the_next_launcher_has_them_too(self):
        launcher = self.start()
        launcher.send(Create(header=header(CREATE, "left"), hostname=b"atoll",
                             limits=Limits(256 << 20, 64 << 20, 0, 2000, 64, 256, 0)))
        self.assertEqual(launcher.reply(CREATE)["status"], 0)
        launcher.send(header(USAGE, "left"))
        self.assertEqual(launcher.reply(USAGE)["walls"] & EGRESS_OPEN, 0)
        for one in self.opened(launcher, "left"):
            one.close()
        os.kill(launcher.process.pid, signal.SIGKILL)
        launcher.process.wait(PATIENCE)
        following = self.start()
        self.assertEqual(following.list(), ["left"])
        following.send(header(USAGE, "left"))
        self.assertEqual(following.reply(USAGE)["walls"] & EGRESS_OPEN, EGRESS_OPEN)
        self.opened(following, "left")
        following.send(header(DESTROY, "left"))
        self.assertEqual(following.reply(DESTROY)["status"], 0)

    def test_a_helper_that_stands_still_or_dies(self):
        """Nobody else waits for it, and its end is an answer."""
        launcher = self.start()
        for name in ("one", "two"):
            self.box(launcher, name)
        self.opened(launcher, "one")
        helper = self.helper(launcher)
        os.kill(helper, signal.SIGSTOP)
        harness.poll_until(lambda: harness.status_of(helper).get("State", "X")[0] == "T", PATIENCE)
        launcher.send(header(EGRESS, "two"))
        launcher.send(header(USAGE, "two"))
        self.assertEqual(self.receive(launcher)[0]["op"], USAGE)
        os.kill(helper, signal.SIGKILL)
        reply, sockets = self.receive(launcher)
        self.assertEqual((reply["op"], reply["status"], reply["errno"], sockets), (EGRESS, FAILED, errno.EIO, []))
        self.opened(launcher, "two")
        self.assertNotEqual(self.helper(launcher), helper)

    def test_the_helper_ends_with_its_launcher(self):
        launcher = self.start()
        self.box(launcher, "box")
        self.opened(launcher, "box")
        helper = self.helper(launcher)
        launcher.send(header(DESTROY, "box"))
        launcher.reply(DESTROY)
        launcher.end()
        self.assertTrue(harness.poll_until(lambda: harness.name_of(helper) != "atoll-net", PATIENCE))

    def test_the_helper_holds_what_it_needs(self):
        launcher = self.start()
        self.box(launcher, "box")
        sockets = self.opened(launcher, "box")
        helper = self.helper(launcher)
        status = harness.status_of(helper)
        held = NET_NEEDS & int(harness.status_of(os.getpid())["CapEff"], 16)
        self.assertEqual({name: int(status[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapBnd", "CapAmb")},
                         {"CapPrm": held, "CapEff": held, "CapInh": held, "CapBnd": held, "CapAmb": 0})
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Threads"]), ("1", "2", "1"))
        # It waits in a network that is nobody's, and keeps no socket of anybody's.
        nets = {harness.ns_of(pid, "net") for pid in (os.getpid(), helper)}
        self.assertEqual(len(nets), 2)
        links = sorted(harness.poll_until(
            lambda: (lambda found: found if len(found) == 2 else None)(
                [os.readlink(f"/proc/{helper}/fd/{fd}") for fd in os.listdir(f"/proc/{helper}/fd") if int(fd) > 2]),
            PATIENCE))
        self.assertEqual([link.split(":")[0] for link in links], ["net", "socket"])
        self.assertEqual(links[0], harness.ns_of(helper, "net"))
        self.assertNotIn(cookie(sockets[0]), {own_cookie()})

    def test_a_crowd_asks_at_once(self):
        launcher = self.start()
        names = [f"crowd-{number}" for number in range(50)]
        small = Limits(memory=16 << 20, disk=1 << 20, inodes=0, cpu=100, pids=8, files=64, reserved=0)
        for name in names:
            launcher.send(Create(header=header(CREATE, name), hostname=b"atoll", limits=small))
            self.assertEqual(launcher.reply(CREATE)["status"], 0)
        for name in names:
            launcher.send(header(EGRESS, name))
        replies = [self.receive(launcher) for _ in names]
        self.assertEqual([(reply["id"], reply["status"]) for reply, _ in replies], [(name, 0) for name in names])
        self.assertEqual(len({cookie(one) for _, sockets in replies for one in sockets}), len(names))
        for name in names:
            launcher.send(header(DESTROY, name))
            self.assertEqual(launcher.reply(DESTROY)["status"], 0)

    def test_what_programs_inside_may_do(self):
        launcher = self.start()
        box = self.box(launcher, "box")
        listener, _ = self.opened(launcher, "box")
        # 27: none of its ports is theirs, and connections to an address they hold are not theirs either.
        code = """
import errno, os, socket, struct
def said(call):
    try:
        call()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def bound(port):
    return said(lambda: socket.socket().bind(("0.0.0.0", port)))
def datagrams(port):
    return said(lambda: socket.socket(type=socket.SOCK_DGRAM).bind(("0.0.0.0", port)))
print(bound(443), bound(53), bound(1), datagrams(53), bound(8080))
# 28: transparent sockets, routes and rules.
for level, option in ((socket.SOL_IP, 19), (socket.IPPROTO_IPV6, 75)):
    family = socket.AF_INET if level == socket.SOL_IP else socket.AF_INET6
    print(said(lambda: socket.socket(family).setsockopt(level, option, 1)), end=" ")
def route(kind):
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    body = struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 255, 3, 254, 2, 0) + struct.pack("=HHI", 8, 4, 1)
    link.send(struct.pack("=IHHII", 16 + len(body), kind, 5, 1, 0) + body)
    error = struct.unpack_from("=i", link.recv(4096), 16)[0]
    if error:
        raise OSError(-error, "")
print(said(lambda: route(24)), said(lambda: route(25)), end=" ")
print(said(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)), end="")
"""
        output, status = box.run("python3", "-c", code)
        self.assertEqual(status, 0, output)
        first, second = output.splitlines()
        self.assertEqual(first, "EACCES EACCES EACCES EACCES done")
        self.assertEqual(second.split()[:4], ["EPERM"] * 4, second)
        self.assertNotEqual(second.split()[4], "done")
        server = """
import socket, sys
s = socket.socket()
s.bind(("198.18.0.77", 8080))
s.listen()
open("/tmp/listens", "w").close()
s.accept()
open("/tmp/got-one", "w").close()
"""
        box.run("/bin/sh", "-c", f"python3 -c '{server}' & while ! test -e /tmp/listens; do sleep 0.05; done")
        self.expect_arrival(box, listener, "198.18.0.77", 8080)
        self.assertNotEqual(box.run("test", "-e", "/tmp/got-one")[1], 0)

    def test_nothing_is_left_of_many(self):
        """48: descriptors of the launcher and its helper, and networks of the host, stay as many."""
        launcher = self.start()

        def life(number):
            box = self.box(launcher, f"life-{number}")
            sockets = self.opened(launcher, f"life-{number}")
            self.assertEqual(box.end()["status"], 0)
            for one in sockets:
                one.close()

        def held():
            pids = (launcher.process.pid, self.helper(launcher))
            return [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids]

        for number in range(20):
            life(number)
        before = held()
        for number in range(20, 120):
            life(number)
        # A slot or two more may lie ready for the next ones: some ten descriptors each.
        self.assertTrue(harness.poll_until(lambda: held()[0] <= before[0] + 64 and held()[1] <= before[1], PATIENCE),
                        (before, held()))


class EgressZygote(zygote_case.ZygoteCase):
    def test_a_sandbox_with_a_zygote(self):
        """Its network belongs to the zygote's user namespace."""
        self.zygote()
        box = self.box(self.key)
        self.assertEqual(box.made["zygote"], 1, box.made)
        self.launcher.send(header(EGRESS, box.name))
        data, fds, _, _ = socket.recv_fds(self.launcher.socket, 8192, 8)
        reply = self.launcher.parse(data)
        self.assertEqual((reply["status"], len(fds)), (0, 2), reply)
        listener, dns = (socket.socket(fileno=fd) for fd in fds)
        with listener, dns:
            box.run("/bin/sh", "-c", f"python3 -c '{CONNECT}' 203.0.113.7 22 > /tmp/said & echo")
            listener.settimeout(PATIENCE)
            with listener.accept()[0] as accepted:
                self.assertEqual(accepted.getsockname()[:2], ("::ffff:203.0.113.7", 22))


if __name__ == "__main__":
    zygote_case.main(__doc__)
