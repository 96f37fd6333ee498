#!/usr/bin/env python3
"""Egress: what fails around it, and sandboxes that stand still.

usage: egress_faults_test.py --build DIR
"""
import contextlib
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_internet import enter, web
from egress_world import GOOD, GOOD6, PATIENCE, Box, World, fate, main, policy

MIB = 1 << 20

# Reads nothing until it is told to, then everything: its size.
READER = """
import socket, sys
connections = [socket.create_connection((sys.argv[1], 7000)) for _ in range(8)]
for one in connections:
    one.sendall(b"go")
    one.recv(1)
print("open", flush=True)
sys.stdin.readline()
total = len(connections)
for one in connections:
    while data := one.recv(65536):
        total += len(data)
print(total, flush=True)
"""


class Faults(World):
    def held(self, egress=None):
        return len(os.listdir(f"/proc/{(egress or self.egress).worker()}/fd"))

    def figures(self, name="box"):
        return self.control.ask(figures={"sandbox": name})["figures"]

    def is_idle(self):
        return not self.figures()["connections"]

    def few_descriptors(self, most):
        self.egress = self.start(limits=[(resource.RLIMIT_NOFILE, most)])
        self.control = self.client()
        self.settings(max_connections=1000)
        self.serve(7000)

    def test_a_full_descriptor_table(self):
        """Connections wait for descriptors; none is lost, and the control socket goes on."""
        self.few_descriptors(64)
        box = self.box()
        address = box.address("good.test")
        before = self.held()
        open_ones = [box.connect(address, 7000) for _ in range(60)]
        for one in open_ones:
            one.sendall(b"x")
        self.assertEqual(open_ones[0].recv(1), b"x")
        self.assertEqual(self.control.ask(hello={})["sandboxes"], ["box"])
        self.assertLess(len(self.figures()["connections"]), 32)
        for one in open_ones[:1] + [box.connect(address, 7000)]:
            one.close()
        for one in open_ones[1:]:
            self.assertEqual(fate(one, size=1), b"x")
        self.assertTrue(harness.poll_until(self.is_idle, PATIENCE))
        self.assertTrue(harness.poll_until(lambda: self.held() <= before, PATIENCE), (self.held(), before))

    def test_a_tenant_that_takes_all_descriptors(self):
        """Two tenants with many sandboxes leave a part to every other one."""
        self.few_descriptors(300)
        held = []
        for number in range(8):
            box = Box(self.BUILD)
            self.addCleanup(box.close)
            self.attach(box, policy("good.test"), f"greedy{number}", tenant=f"greedy{number % 2}")
            address = box.address("good.test")
            held += [box.connect(address, 7000) for _ in range(60)]
            held[-60].sendall(b"x")
        used = lambda: sum(len(self.figures(f"greedy{number}")["connections"]) for number in range(8))
        before = -1
        while before != used():  # until no more is accepted
            before = used()
            self.control.ask(hello={})
        self.assertLess(before, 130)
        modest = Box(self.BUILD)
        self.addCleanup(modest.close)
        self.attach(modest, policy("good.test"), "modest", tenant="modest")
        for _ in range(5):
            self.assertEqual(fate(modest.open("good.test", 7000), b"x", size=1), b"x")
        for one in held:
            one.close()
        self.assertTrue(harness.poll_until(lambda: used() == 0, PATIENCE))

    def test_bytes_that_nobody_takes_do_not_end_it(self):
        """Many connections whose bytes nobody takes, in both directions, and little memory: they stand still, the relay goes
        on, and others are served."""
        self.egress = self.start(limits=[(resource.RLIMIT_DATA, 64 * MIB)])
        self.control = self.client()
        self.settings()
        ends = threading.Event()
        self.addCleanup(ends.set)

        def pour(connection):
            connection.setblocking(False)
            piece = b"x" * MIB
            while not ends.is_set():
                try:
                    connection.send(piece)
                except BlockingIOError:
                    if ends.wait(0.01):
                        break
        self.serve(7000, pour)
        self.serve(7001)
        boxes = [self.box(name=f"box{number}") for number in range(2)]
        neighbour = self.box(policy("good.test"), "neighbour")
        worker, open_ones = self.egress.worker(), []
        for box in boxes:
            address = box.address("good.test")
            for _ in range(150):
                connection = box.connect(address, 7000)
                connection.setblocking(False)
                open_ones.append(connection)
        # Each sends as much as anybody takes, again and again.
        for _ in range(20):
            moved = 0
            for one in open_ones:
                with contextlib.suppress(BlockingIOError):
                    moved += one.send(b"x" * MIB)
            self.assertEqual(fate(neighbour.open("good.test", 7001), b"x", size=1), b"x")
            if not moved:
                break
        self.assertEqual(self.egress.worker(), worker)
        self.assertEqual(len(self.figures("box0")["connections"]) + len(self.figures("box1")["connections"]), 300)
        for one in open_ones:
            one.close()
        self.assertTrue(harness.poll_until(lambda: not self.figures("box1")["connections"], PATIENCE))

    def test_resets_of_the_host_pass(self):
        """In the middle of a download, and before it has said anything."""
        def reset(after):
            def handler(connection):
                connection.recv(10)
                connection.sendall(b"x" * after)
                if after:
                    connection.recv(1)  # the client has read it
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            return handler
        self.serve(7000, reset(MIB))
        self.serve(7001, reset(0))
        box = self.box()
        before = self.held()
        for _ in range(10):
            connection = box.open("good.test", 7000)
            connection.sendall(b"go")
            left = MIB
            while left:
                left -= len(connection.recv(left))
            connection.sendall(b".")
            self.assertEqual(fate(connection), "ECONNRESET")
            self.assertEqual(fate(box.open("good.test", 7001), b"go"), "ECONNRESET")
        self.assertTrue(harness.poll_until(self.is_idle, PATIENCE))
        self.assertTrue(harness.poll_until(lambda: self.held() <= before, PATIENCE))

    def test_a_slow_resolver_holds_up_nobody_else(self):
        answer = threading.Event()
        box, other = self.box(policy("good.test", "slow.test")), self.box(policy("good.test"), "other")
        self.serve(7000)
        known = other.address("good.test")
        self.resolver.ttl = 60
        box.address("good.test")

        def slow():
            answer.wait(4 * PATIENCE)
            return [GOOD]
        self.resolver.names["slow.test"] = slow
        found = []
        asks = threading.Thread(target=lambda: found.append(box.ask("slow.test")))
        asks.start()
        self.assertTrue(harness.poll_until(lambda: "slow.test" in self.resolver.asked, PATIENCE))
        for _ in range(20):
            self.assertEqual(fate(other.connect(known, 7000), b"x", size=1), b"x")
            self.assertEqual(fate(box.open("good.test", 7000), b"x", size=1), b"x")
        answer.set()
        asks.join(PATIENCE)
        self.assertIn(found[0][0], (0, 2))  # in time, or after all tries
        self.assertTrue(harness.poll_until(lambda: box.ask("slow.test")[0] == 0, PATIENCE))

    def test_46_a_frozen_sandbox(self):
        """Its downloads wait without growing in memory, others are served, and it goes on where it was."""
        size = 32 * MIB

        def pour(connection):
            connection.recv(10)
            connection.sendall(b"x" * size)
        self.serve(7000, pour)
        self.serve(7001)
        box, neighbour = self.box(), self.box(policy("good.test"), "neighbour")
        reader = subprocess.Popen(["/usr/bin/python3", "-c", READER, box.address("good.test")], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, preexec_fn=lambda: enter(box.netns.fd))
        self.addCleanup(lambda: (reader.kill(), reader.communicate()))
        self.assertEqual(reader.stdout.readline(), "open\n")
        os.kill(reader.pid, signal.SIGSTOP)

        def stands_still():
            before = self.figures()["rx_bytes"]
            for _ in range(50):
                self.assertEqual(fate(neighbour.open("good.test", 7001), b"x", size=1), b"x")
            return self.figures()["rx_bytes"] == before
        self.assertTrue(harness.poll_until(stands_still, PATIENCE))
        self.assertLess(self.figures()["rx_bytes"], 8 * size // 2)
        self.assertLess(int(harness.status_of(self.egress.worker())["VmRSS"].split()[0]), 64 << 10)
        os.kill(reader.pid, signal.SIGCONT)
        reader.stdin.write("\n")
        reader.stdin.flush()
        self.assertEqual(reader.stdout.readline(), f"{8 * size}\n")

    def test_46_a_frozen_sandbox_ends(self):
        """Thawed or not, its end frees everything."""
        def pour(connection):
            while True:
                connection.sendall(b"x" * 65536)
        self.serve(7000, pour)
        before = self.held()
        box = self.box()
        reader = subprocess.Popen(["/usr/bin/python3", "-c", READER, box.address("good.test")], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, preexec_fn=lambda: enter(box.netns.fd))
        self.addCleanup(lambda: (reader.kill(), reader.communicate()))
        self.assertEqual(reader.stdout.readline(), "open\n")
        os.kill(reader.pid, signal.SIGSTOP)
        self.assertNotIn("error", self.control.ask(detach={"sandbox": "box"}))
        self.assertTrue(harness.poll_until(lambda: self.held() <= before, PATIENCE))

    def test_47_without_ipv6_inside(self):
        """IPv4 works as ever; IPv6 is the kernel's own refusal."""
        without = Box.__new__(Box)
        without.netns, without.build = self.namespace(), self.BUILD
        self.no_ipv6(without.netns)
        without.listener, without.dns = without.make_sockets()
        self.attach(without, policy("good.test", default="deny"))
        self.serve(7000)
        self.assertEqual(fate(without.open("good.test", 7000), b"x", size=1), b"x")
        with self.assertRaises(OSError):
            without.connect(GOOD6, 7000)

    def test_47_without_ipv6_outside(self):
        """Names that have only such addresses cannot be reached, and say so."""
        self.serve(7000)
        box = self.box(policy("good.test", "six.test"))
        self.no_ipv6(self.host)
        self.assertEqual(fate(box.open("six.test", 7000), b"x"), "ECONNRESET")
        self.control.wait_for(name="six.test", port=7000, reason="dial_failed")
        self.assertEqual(fate(box.open("good.test", 7000), b"x", size=1), b"x")

    def no_ipv6(self, netns):
        script = "mount -t proc proc /proc 2>/dev/null; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"
        netns.run("unshare", "-m", "--propagation", "private", "sh", "-c", script)

    def test_31_three_hundred_silent_connections(self):
        """The 257th waits. Others are served as if nothing were."""
        self.serve(80, web)
        box, neighbour = self.box(), self.box(policy("good.test"), "neighbour")
        address = box.address("good.test")
        silent = [box.connect(address, 80) for _ in range(300)]
        self.assertTrue(harness.poll_until(lambda: len(self.figures()["connections"]) == 256, PATIENCE))
        self.serve(7001)
        for _ in range(20):
            self.assertEqual(fate(neighbour.open("good.test", 7001), b"x", size=1), b"x")
        for one in silent[:64]:
            one.close()
        late = silent[-1]
        late.sendall(b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n")
        self.assertIn(b"200 OK", late.recv(15))
        for one in silent[64:]:
            one.close()

    def test_a_listener_that_is_not_served_for_a_while(self):
        """A worker that stands still: connections wait in the kernel, and are served when it goes on."""
        self.serve(7000)
        box = self.box()
        address = box.address("good.test")
        worker = self.egress.worker()
        os.kill(worker, signal.SIGSTOP)
        try:
            waiting = [box.connect(address, 7000) for _ in range(20)]
            for one in waiting:
                one.sendall(b"x")
        finally:
            os.kill(worker, signal.SIGCONT)
        for one in waiting:
            self.assertEqual(fate(one, size=1), b"x")


if __name__ == "__main__":
    main()
