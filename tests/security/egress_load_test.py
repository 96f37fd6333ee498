#!/usr/bin/env python3
"""Egress: sandboxes that ask for too much, and what is left when they are gone.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_load_test.py --build DIR
"""
import contextlib
import itertools
import os
import resource
import socket
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_world import PATIENCE, World, dns_query, fate, main, policy


def held_by(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class Load(World):
    def test_33_downloads_that_nobody_reads(self):
        def pour(connection):
            while True:
                connection.sendall(b"x" * 65536)
        self.serve(7000, pour)
        box = self.box()
        address = box.address("good.test")
        open_ones = [box.connect(address, 7000) for _ in range(100)]
        for one in open_ones:
            one.sendall(b"go")
            one.recv(1)
        worker = self.egress.worker()
        resident = int(harness.status_of(worker)["VmRSS"].split()[0])
        self.assertLess(resident, 64 << 10)  # KiB: nothing is kept for them here
        neighbour = self.box(policy("good.test"), "neighbour")
        self.serve(7001)
        self.assertEqual(fate(neighbour.open("good.test", 7001), b"x", size=1), b"x")

    def test_31_connections_that_say_nothing(self):
        self.settings(max_connections=8)
        self.serve(80)
        box = self.box()
        address = box.address("good.test")
        open_ones = [box.connect(address, 80) for _ in range(12)]  # the last ones wait for room
        neighbour = self.box(policy("good.test"), "neighbour")
        self.serve(7001)
        self.assertEqual(fate(neighbour.open("good.test", 7001), b"x", size=1), b"x")
        self.assertLessEqual(len(self.control.ask(figures={"sandbox": "box"})["figures"]["connections"]), 8)
        for one in open_ones:
            self.assertEqual(fate(one), "ECONNRESET")
        self.control.wait_for(sandbox="box", name="good.test", port=80, reason="too_slow")

    def test_20_tunnels_through_labels(self):
        box = self.box(policy("*.good.test"))
        with box.netns.socket(kind=socket.SOCK_DGRAM) as asker:
            asker.connect(("198.18.0.53", 53))
            for i in range(2000):
                asker.send(dns_query(f"x{i}.evil.test"))
            sent = itertools.count()

            def stopped():
                for _ in range(50):
                    asker.send(dns_query(f"x{next(sent)}.good.test"))
                return self.control.heard(sandbox="box", reason="too_many_names")
            self.assertTrue(harness.poll_until(stopped, PATIENCE))
        self.assertFalse([name for name in self.resolver.asked if name.endswith("evil.test")])
        self.assertLess(len(self.resolver.asked), next(sent))

    def test_23_a_flood_of_queries_does_not_stop_others(self):
        box, neighbour = self.box(), self.box(policy("good.test"), "neighbour")
        self.serve(7001)
        stop = threading.Event()
        query = dns_query("denied.test")

        def flood():
            with box.netns.socket(kind=socket.SOCK_DGRAM) as asker:
                asker.connect(("198.18.0.53", 53))
                while not stop.is_set():
                    with contextlib.suppress(OSError):
                        asker.send(query)
        thread = threading.Thread(target=flood)
        thread.start()
        try:
            for _ in range(50):
                self.assertEqual(fate(neighbour.open("good.test", 7001), b"x", size=1), b"x")
        finally:
            stop.set()
            thread.join()

    def test_32_many_connections(self):
        """As many as this process may have descriptors for, two each, and the relay grows by little."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        count = min(2000, hard * 9 // 20)
        self.settings(max_connections=count, tenant_connections=count)
        self.serve(7000)
        box = self.box()
        address = box.address("good.test")
        open_ones = [box.connect(address, 7000) for _ in range(count)]
        for one in open_ones:
            one.sendall(b"x")
        for one in open_ones:
            self.assertEqual(one.recv(1), b"x")
            one.close()
        resident = int(harness.status_of(self.egress.worker())["VmRSS"].split()[0])
        self.assertLess(resident, 64 << 10)

    def test_48_nothing_is_left_of_many_sandboxes(self):
        self.serve(7000)
        self.control.ask(hello={})
        worker = self.egress.worker()
        before = held_by(worker)
        for i in range(100):
            box = self.box(policy("good.test"), f"box{i}")
            connection = box.open("good.test", 7000)
            connection.sendall(b"x")
            self.assertEqual(connection.recv(1), b"x")
            self.assertNotIn("error", self.control.ask(detach={"sandbox": f"box{i}"}))
            connection.close()
        self.assertEqual(self.control.ask(hello={})["sandboxes"], [])
        self.assertEqual(held_by(worker), before)


if __name__ == "__main__":
    main()
