#!/usr/bin/env python3
"""Egress: the program itself (what it holds, what it bears, what its death does), and the sandbox's own network.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_life_test.py --build DIR
"""
import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_world import BLOCKED, GOOD, PATIENCE, Box, Control, Gone, World, enter, fate, main, policy

EGRESS_UID = 0x5FFC0000


def sockets_of(pid):
    """How many sockets a process holds."""
    return sum(os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:") for fd in os.listdir(f"/proc/{pid}/fd"))


class Posture(World):
    def test_both_processes_hold_nothing(self):
        self.box()
        for pid in (self.egress.process.pid, self.egress.worker()):
            status = harness.status_of(pid)
            for name in ("Uid", "Gid"):
                self.assertEqual(set(status[name].split()), {str(EGRESS_UID)})
            self.assertEqual(status["Groups"].strip(), "")
            for name in ("CapPrm", "CapEff", "CapInh", "CapBnd", "CapAmb"):
                self.assertEqual(int(status[name], 16), 0, name)
            self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Threads"]), ("1", "2", "1"))
            # Not dumpable: its files in /proc are root's.
            self.assertEqual(os.stat(f"/proc/{pid}/environ").st_uid, 0)
            self.assertIn("Max core file size        0 ", harness.read(f"/proc/{pid}/limits"))

    def test_it_holds_no_files(self):
        self.box()
        self.control.ask(hello={})
        for pid, kinds in ((self.egress.process.pid, ("socket",)), (self.egress.worker(), ("socket", "anon_inode"))):
            links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd") if int(fd) > 2]
            self.assertEqual({link.split(":")[0] for link in links}, set(kinds), links)

    def test_descriptors_of_other_kinds_are_refused(self):
        box = Box(self.BUILD)
        self.addCleanup(box.close)
        read, write = os.pipe()
        with self.host.entered():
            own = socket.create_server(("::", 0), family=socket.AF_INET6)
        with box.netns.entered():
            silent = socket.socket(socket.AF_INET6)
        cases = ((read, box.dns), (box.listener, read), (box.dns, box.listener), (own.fileno(), box.dns),
                 (silent.fileno(), box.dns), (box.listener,))
        for fds in cases:
            reply = self.control.ask(fds=fds, attach={"sandbox": "box", "policy": policy()})
            self.assertEqual(reply["error"]["code"], 1, fds)
        self.assertEqual(self.control.ask(hello={})["sandboxes"], [])
        for one in (own, silent):
            one.close()
        for fd in (read, write):
            os.close(fd)
        box.let_go()

    def test_a_bad_policy_says_where(self):
        box = Box(self.BUILD)
        self.addCleanup(box.close)
        reply = self.control.ask(fds=(box.listener, box.dns),
                                 attach={"sandbox": "box", "policy": policy("good.test", "a..b")})
        self.assertEqual(reply["error"]["field"], "/rules/1/target")
        box.let_go()

    def test_who_breaks_the_protocol_is_disconnected(self):
        for bad in (b"\xff\xff\xff\xff", b"\0\0\0\2{]", b"\0\0\0\x0b{\"ids\": 12}"):
            other = self.client()
            other.socket.sendall(bad)
            self.assertEqual(fate(other.socket), b"")
        self.assertEqual(self.control.ask(hello={})["sandboxes"], [])

    def test_other_users_are_not_served(self):
        os.chmod(self.folder, 0o755)
        os.chmod(self.egress.path, 0o666)
        code = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
                "s.settimeout(30); sys.exit(len(s.recv(1)))")
        done = subprocess.run(["/usr/bin/python3", "-c", code, self.egress.path], timeout=2 * PATIENCE,
                              preexec_fn=lambda: os.setresuid(61234, 61234, 61234))
        self.assertEqual(done.returncode, 0)

    def test_ten_thousand_rules_fit(self):
        box = self.box(policy(*(f"{'x' * 60}.host{i}.{'y' * 60}.test" for i in range(9999)), "good.test"))
        self.assertNotEqual(box.address("good.test"), BLOCKED)

    def test_rootless_it_stays_who_it_is(self):
        os.chmod(self.folder, 0o777)
        egress = self.start(uid=61234)
        control = self.client(egress)
        control.ask(hello={})
        for pid in (egress.process.pid, egress.worker()):
            status = harness.status_of(pid)
            self.assertEqual(set(status["Uid"].split()), {"61234"})
            self.assertEqual(int(status["CapPrm"], 16), 0)
            self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))


class Starter(unittest.TestCase):
    """The process that a server of root leaves to start relays: a server that was taken over speaks to it."""

    def setUp(self):
        self.socket, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self.process = subprocess.Popen(
                [f"{World.BUILD}/bin/atoll-egress", "--starter-fd", str(its.fileno()), "--client-uid", str(os.getuid()),
                 "--idle-seconds", "5"], pass_fds=[its.fileno()], stdin=subprocess.DEVNULL)
        self.addCleanup(self.process.wait, PATIENCE)
        self.addCleanup(self.socket.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def listener(self, name):
        one = socket.socket(socket.AF_UNIX)
        self.addCleanup(one.close)
        one.bind(f"{self.folder}/{name}")
        one.listen(16)
        return one

    def ask(self, *fds):
        socket.send_fds(self.socket, [b"+"], fds)

    def works(self, name):
        """It starts one that answers."""
        with self.listener(name) as one:
            self.ask(one.fileno())
        with contextlib.closing(Control(f"{self.folder}/{name}")) as control:
            self.assertEqual(control.ask(hello={})["sandboxes"], [])

    def held(self):
        return [os.readlink(f"/proc/{self.process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{self.process.pid}/fd")
                if int(fd) > 2]

    def test_it_holds_what_it_needs(self):
        self.works("control")
        status = harness.status_of(self.process.pid)
        kept = sum(1 << number for number in (6, 7, 8))  # SETGID SETUID SETPCAP
        self.assertEqual({name: int(status[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")},
                         {"CapPrm": kept, "CapEff": kept, "CapInh": 0, "CapAmb": 0})
        self.assertEqual(int(status["CapBnd"], 16) & ~kept, 0)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Threads"]), ("1", "2", "1"))
        self.assertIn("Max core file size        0 ", harness.read(f"/proc/{self.process.pid}/limits"))
        self.assertEqual([link.split(":")[0] for link in self.held()], ["socket"])

    def test_it_keeps_nothing_that_it_is_given(self):
        """Whatever comes beside a control socket is not even received."""
        with tempfile.TemporaryFile() as file:
            for name in ("one", "two", "three"):
                with self.listener(name) as one:
                    self.ask(one.fileno(), file.fileno())
                self.ask()
                self.ask(*[file.fileno()] * 100)
        self.works("control")
        self.assertEqual([link.split(":")[0] for link in self.held()], ["socket"])

    def test_it_starts_nothing_for_strange_descriptors(self):
        """A relay of its user with a folder, a pipe or a socket of a network in its hands."""
        read, write = os.pipe()
        folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
        silent = socket.socket(socket.AF_UNIX)
        with socket.create_server(("127.0.0.1", 0)) as tcp, silent:
            for fd in (read, write, folder, silent.fileno(), tcp.fileno()):
                self.ask(fd)
        for fd in (read, write, folder):
            os.close(fd)
        self.works("control")  # it has seen to all before
        started = harness.read(f"/proc/{self.process.pid}/task/{self.process.pid}/children").split()
        self.assertEqual(len(started), 1, started)


class Life(World):
    def test_36_the_worker_is_killed(self):
        self.serve(7000)
        box = self.box(policy("good.test"))
        address = box.address("good.test")
        open_one = box.connect(address, 7000)
        self.assertEqual(fate(box.connect(address, 7000), b"x", size=1), b"x")
        os.kill(self.egress.worker(), signal.SIGKILL)
        self.assertIn(fate(open_one, b"x"), ("ECONNRESET", "EPIPE", b""))
        with self.assertRaises(Gone):
            while True:
                self.control.receive()

        def refused():
            try:
                box.connect(address, 7000).close()
                return False
            except ConnectionRefusedError:
                return True
        self.assertTrue(harness.poll_until(refused, PATIENCE))
        # The same socket leads to the next worker, which knows nothing yet.
        control = self.client()
        self.assertEqual(control.ask(hello={})["sandboxes"], [])
        self.control = control
        self.settings()
        box.listener, box.dns = box.make_sockets("security-cases/egress-sockets", "--sockets-only")
        self.attach(box, policy("good.test"))
        self.assertEqual(box.address("good.test"), address)  # what clients remember is still right
        self.assertEqual(fate(box.connect(address, 7000), b"x", size=1), b"x")

    def test_connections_outlive_the_client(self):
        self.serve(7000)
        box = self.box()
        connection = box.open("good.test", 7000)
        self.control.close()
        self.assertEqual(box.address("other.test"), BLOCKED)  # and events wait
        control = self.client()
        self.assertEqual(control.ask(hello={})["sandboxes"], ["box"])
        control.wait_for(name="other.test", reason="name_denied")
        self.assertEqual(fate(connection, b"x", size=1), b"x")

    def test_it_ends_when_told_and_with_its_client(self):
        self.control.ask(end={})
        self.assertEqual(self.egress.process.wait(PATIENCE), 0)
        once = self.start("--once")
        control = self.client(once)
        control.ask(hello={})
        control.close()
        self.assertEqual(once.process.wait(PATIENCE), 0)
        idle = self.start("--idle-seconds", "1")
        self.assertEqual(idle.process.wait(PATIENCE), 0)

    def test_its_worker_does_not_outlive_it(self):
        worker = self.egress.worker()
        self.control.ask(hello={})  # it runs
        self.egress.end()
        self.assertTrue(harness.poll_until(lambda: harness.status_of(worker).get("State", "X")[0] in "XZ", PATIENCE))

    def test_37_a_sandbox_ends_with_open_connections(self):
        self.serve(7000)
        self.control.ask(hello={})
        before = sockets_of(self.egress.worker())
        box = self.box()
        address = box.address("good.test")
        open_ones = [box.connect(address, 7000) for _ in range(100)]
        for one in open_ones:
            one.sendall(b"x")
            self.assertEqual(one.recv(1), b"x")
        self.assertEqual(len(self.control.ask(figures={"sandbox": "box"})["figures"]["connections"]), 100)
        self.assertNotIn("error", self.control.ask(detach={"sandbox": "box"}))
        for one in open_ones:
            self.assertIn(fate(one), ("ECONNRESET", b""))
        with self.assertRaises(ConnectionRefusedError):
            box.connect(address, 7000)
        self.assertEqual(self.control.ask(detach={"sandbox": "box"})["error"]["code"], 2)
        self.assertEqual(sockets_of(self.egress.worker()), before)

    def test_38_a_narrower_policy_ends_connections(self):
        self.serve(7000)
        box = self.box(policy("good.test", "*.test"))
        connection = box.open("good.test", 7000)
        connection.sendall(b"x")
        self.assertEqual(connection.recv(1), b"x")
        self.control.ask(set_policy={"sandbox": "box", "policy": policy("good.test")})
        connection.sendall(b"x")
        self.assertEqual(connection.recv(1), b"x")
        self.control.ask(set_policy={"sandbox": "box", "policy": policy("other.test")})
        self.assertEqual(fate(connection), "ECONNRESET")
        self.control.wait_for(name="good.test", port=7000, reason="policy_changed")

    def test_34_much_both_ways_and_half_closes(self):
        size = 64 << 20
        seen = []

        def swallow(connection):
            count = 0
            while data := connection.recv(1 << 20):
                count += len(data)
            seen.append(count)
            connection.sendall(b"y" * size)
        self.serve(7000, swallow)
        box = self.box()
        connection = box.open("good.test", 7000)
        connection.sendall(b"x" * size)
        connection.shutdown(socket.SHUT_WR)
        self.assertEqual(len(fate(connection, size=2 * size)), size)
        self.assertEqual(seen, [size])
        figures = self.control.ask(figures={"sandbox": "box"})["figures"]
        self.assertEqual((figures["rx_bytes"], figures["tx_bytes"], figures["opened"]), (size, size, 1))

    def test_34_resets_pass(self):
        got = []
        done = threading.Event()

        def read(connection):
            try:
                connection.sendall(b"+")
                got.append(connection.recv(10))
                got.append(connection.recv(10))
            except OSError as error:
                got.append(errno.errorcode[error.errno])
            done.set()
        self.serve(7000, read)
        box = self.box()
        connection = box.open("good.test", 7000)
        connection.sendall(b"x")
        self.assertEqual(connection.recv(1), b"+")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
        self.assertTrue(done.wait(PATIENCE))
        self.assertEqual(got[-1], "ECONNRESET")


class Inside(World):
    """What user code without powers can do to its own network."""

    def run_inside(self, box, code):
        done = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, timeout=2 * PATIENCE,
                              preexec_fn=lambda: (enter(box.netns.fd), os.setgroups([]),
                                                  os.setresgid(61234, 61234, 61234), os.setresuid(61234, 61234, 61234)))
        return done.stdout.strip() or done.stderr

    def test_24_udp_leads_nowhere(self):
        box = self.box(policy(default="allow"))
        for port in (443, 123, 5353):
            with box.netns.socket(kind=socket.SOCK_DGRAM) as sender:
                sender.connect((GOOD, port))
                sender.send(b"x")
                with self.assertRaises(ConnectionRefusedError):
                    sender.recv(1)

    def test_25_26_the_sandboxs_own_servers(self):
        box = self.box(policy(default="allow"))
        for address in ("127.0.0.1", "::1"):
            with self.assertRaises(ConnectionResetError):  # the listener itself
                connection = box.connect(address, 1)
                connection.sendall(b"x")
                if connection.recv(1) == b"":
                    raise ConnectionResetError
        for port, family, bound, reached in ((8080, socket.AF_INET, "127.0.0.1", "127.0.0.1"),
                                             (8081, socket.AF_INET, "0.0.0.0", "198.18.0.1"),
                                             (8082, socket.AF_INET6, "::1", "::1")):
            with box.netns.socket(family) as own:
                own.bind((bound, port))
                own.listen()
                client = box.connect(reached, port)
                accepted, _ = own.accept()
                accepted.sendall(b"mine")
                accepted.close()
                self.assertEqual(fate(client), b"mine")

    def test_27_28_it_cannot_take_or_change_the_way(self):
        box = self.box()
        code = """
import errno, socket
def attempt(what):
    try:
        what()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def bind(port, kind=socket.SOCK_STREAM):
    return lambda: socket.socket(socket.AF_INET6, kind).bind(("::", port))
def transparent():
    socket.socket(socket.AF_INET6).setsockopt(socket.IPPROTO_IPV6, 75, 1)
def route():
    import struct
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    body = struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 255, 3, 254, 2, 0)
    link.send(struct.pack("=IHHII", 16 + len(body), 25, 5, 1, 0) + body)
    number = struct.unpack("=i", link.recv(4096)[16:20])[0]
    if number: raise OSError(-number, "")
print(attempt(bind(443)), attempt(bind(53, socket.SOCK_DGRAM)), attempt(bind(1)), attempt(transparent), attempt(route))
"""
        self.assertEqual(self.run_inside(box, code), "EACCES EACCES EACCES EPERM EPERM")

    def test_27_a_server_on_a_synthetic_address_gets_nothing(self):
        self.serve(8080)
        box = self.box()
        address = box.address("good.test")
        with box.netns.socket() as own:
            own.bind((address, 8080))
            own.listen()
            self.assertEqual(fate(box.connect(address, 8080), b"x", size=1), b"x")  # the server's, not its own

    def test_29_another_sandboxs_address(self):
        self.serve(7000)
        self.box(policy("good.test"), "one").address("good.test")
        two = self.box(policy("other.test"), "two")
        self.assertEqual(fate(two.connect("198.18.1.1", 7000), b"x"), "ECONNRESET")
        self.control.wait_for(sandbox="two", name="198.18.1.1", reason="address_denied")


if __name__ == "__main__":
    main()
