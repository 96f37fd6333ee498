#!/usr/bin/env python3
"""Egress: the operator's limits on bytes, connections and names of sandboxes and tenants.

usage: egress_limits_test.py --build DIR
"""
import contextlib
import socket
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_internet import read_head
from egress_tls import TlsWorld
from egress_world import GOOD, PATIENCE, Box, World, alert, client_hello, fate, main, policy

MIB = 1 << 20


def pour(size):
    """A server's handler: the answer to anything is that many bytes."""
    def handler(connection):
        connection.recv(65536)
        connection.sendall(b"x" * size)
    return handler


def swallow(connection):
    """Reads to the end, and says how much it was."""
    size = 0
    while data := connection.recv(65536):
        size += len(data)
    connection.sendall(b"%d" % size)


class Limits(World):
    def boxes(self, *tenants):
        """A sandbox for each, with the tenant of that name."""
        made = []
        for number, tenant in enumerate(tenants):
            box = Box(self.BUILD)
            self.addCleanup(box.close)
            self.attach(box, policy("good.test"), f"box{number}", tenant=tenant)
            made.append(box)
        return made

    def figures(self, box="box"):
        return self.control.ask(figures={"sandbox": box})["figures"]

    def open_at(self, server, before):
        return harness.poll_until(lambda: server.connections > before, PATIENCE)


class Rates(Limits):
    """A machine that is busy makes all of this slower, and never faster: only too fast is wrong."""

    def fastest(self, work, size):
        """The least time that `work` may take for so many bytes at 1 MiB a second."""
        begin = time.monotonic()
        work()
        self.assertGreater(time.monotonic() - begin, 0.8 * (size - MIB // 5) / MIB)

    def test_a_download_and_an_upload(self):
        self.serve(7000, pour(3 * MIB))
        self.serve(7001, swallow)
        box = self.box()

        def upload():
            connection = box.open("good.test", 7001)
            connection.sendall(b"x" * (3 * MIB))
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(fate(connection), b"%d" % (3 * MIB))

        def download():
            self.assertEqual(len(fate(box.open("good.test", 7000), b"go", size=4 * MIB)), 3 * MIB)
        # Without the wall both are there at once; no time is asked for here.
        upload()
        download()
        self.settings(bytes_per_second=MIB)
        self.fastest(download, 3 * MIB)
        self.fastest(upload, 3 * MIB)
        self.settings(bytes_per_second=0)
        download()

    def test_many_connections_have_one_rate(self):
        """Many short ones, each with less than may pass at once, are not a way round."""
        self.serve(7001, swallow)
        box = self.box()
        self.settings(bytes_per_second=MIB)

        def send():
            for _ in range(50):
                connection = box.open("good.test", 7001)
                connection.sendall(b"x" * 60000)
                connection.shutdown(socket.SHUT_WR)
                self.assertEqual(fate(connection), b"60000")
        self.fastest(send, 50 * 60000)

    def test_none_of_a_sandboxs_connections_starves(self):
        self.serve(7000, pour(100 * MIB))
        self.settings(bytes_per_second=MIB)
        box = self.box()
        open_ones = [box.open("good.test", 7000) for _ in range(8)]
        for one in open_ones:
            one.sendall(b"go")
        self.assertTrue(harness.poll_until(
            lambda: min(one["rx_bytes"] for one in self.figures()["connections"]) > 50_000, PATIENCE), self.figures())

    def test_another_sandbox_is_not_slowed(self):
        """The neighbour's own rate is untouched, and it is served while the first waits for room."""
        self.serve(7000, pour(100 * MIB))
        self.settings(bytes_per_second=MIB)
        busy, neighbour = self.boxes("a", "b")
        connection = busy.open("good.test", 7000)
        connection.sendall(b"go")
        connection.recv(1)
        self.serve(7002)
        for _ in range(50):
            self.assertEqual(fate(neighbour.open("good.test", 7002), b"x", size=1), b"x")
        connection.close()

    def test_a_tenants_sandboxes_share(self):
        self.serve(7000, pour(2 * MIB))
        self.settings(tenant_bytes_per_second=MIB)
        one, two = self.boxes("a", "a")

        def both():
            threads = [threading.Thread(target=lambda box=box: sizes.append(
                len(fate(box.open("good.test", 7000), b"go", size=4 * MIB)))) for box in (one, two)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        sizes = []
        self.fastest(both, 4 * MIB)
        self.assertEqual(sizes, [2 * MIB, 2 * MIB])

    def test_plain_http_has_it_too(self):
        def take(connection):
            head, rest = read_head(connection)
            left = int(head.lower().split("content-length: ")[1].split("\r\n")[0]) - len(rest)
            while left > 0:
                left -= len(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        self.serve(80, take)
        box = self.box()
        self.settings(bytes_per_second=MIB)
        request = b"POST / HTTP/1.1\r\nHost: good.test\r\nContent-Length: %d\r\n\r\n" % (3 * MIB) + b"x" * (3 * MIB)
        self.fastest(lambda: self.assertIn(b"200 OK", fate(box.open("good.test", 80), request, size=15)), 3 * MIB)

    def test_waiting_is_not_slowness_of_the_client(self):
        """A client whose first bytes wait for room is not ended for saying nothing."""
        self.serve(7000, pour(100 * MIB))
        self.settings(bytes_per_second=1000)
        box = self.box()
        flood = box.open("good.test", 7000)
        flood.sendall(b"x" * MIB)  # far more than may pass in the ten seconds that a client has
        late = box.open("good.test", 7000)
        late.sendall(b"go")
        self.assertEqual(late.recv(1), b"x")
        self.assertFalse(self.control.heard(sandbox="box", reason="too_slow"))
        flood.close()
        late.close()


class Amounts(Limits):
    def test_bytes_are_used_up(self):
        self.serve(7000, pour(4 * MIB))
        self.serve(80)
        box = self.box()
        self.assertEqual(len(fate(box.open("good.test", 7000), b"go", size=5 * MIB)), 4 * MIB)  # the wall is off
        self.settings(bytes=9 * MIB)
        self.assertEqual(len(fate(box.open("good.test", 7000), b"go", size=5 * MIB)), 4 * MIB)
        self.assertIn(fate(box.open("good.test", 7000), b"go", size=5 * MIB), ("ECONNRESET", b""))
        self.control.wait_for(sandbox="box", name="good.test", port=7000, reason="bytes_used_up")
        answer = fate(box.open("good.test", 80), b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n")
        self.assertIn(b"403 Forbidden", answer)
        self.assertEqual(fate(box.open("good.test", 443), client_hello("good.test")), alert(49))
        figures = self.figures()
        self.assertLess(figures["rx_bytes"] + figures["tx_bytes"], 11 * MIB)
        self.settings(bytes=0)
        self.assertEqual(len(fate(box.open("good.test", 7000), b"go", size=5 * MIB)), 4 * MIB)

    def test_an_open_connection_ends(self):
        self.serve(7000, pour(100 * MIB))
        self.settings(bytes=MIB)
        box = self.box()
        connection = box.open("good.test", 7000)
        connection.sendall(b"go")
        size = 0
        with contextlib.suppress(ConnectionResetError):
            while data := connection.recv(65536):
                size += len(data)
        self.assertLess(size, 4 * MIB)
        self.control.wait_for(sandbox="box", port=7000, reason="bytes_used_up")

    def test_what_was_used_before_counts(self):
        """A relay that is started again is told."""
        self.serve(7000)
        self.settings(bytes=1000)
        box = Box(self.BUILD)
        self.addCleanup(box.close)
        self.attach(box, policy("good.test"), used_bytes=997)
        self.assertEqual(fate(box.open("good.test", 7000), b"x", size=1), b"x")
        fate(box.open("good.test", 7000), b"xx", size=2)  # the answer may be quicker than the end
        self.assertEqual(fate(box.open("good.test", 7000), b"x", size=1), "ECONNRESET")

    def test_connections_of_a_tenant(self):
        self.serve(7000)
        self.settings(tenant_connections=4)
        one, two, other = self.boxes("a", "a", "b")
        held = [one.open("good.test", 7000) for _ in range(4)]
        for connection in held:
            connection.sendall(b"x")
            self.assertEqual(connection.recv(1), b"x")
        late = two.open("good.test", 7000)
        late.sendall(b"x")
        self.assertEqual(fate(other.open("good.test", 7000), b"x", size=1), b"x")  # another tenant does not wait
        self.assertEqual(self.figures("box1")["connections"], [])
        held.pop().close()
        self.assertEqual(fate(late, size=1), b"x")
        # A sandbox that ends makes room as well.
        self.assertEqual(fate(two.open("good.test", 7000), b"x", size=1), b"x")
        held.append(two.open("good.test", 7000))
        held[-1].sendall(b"x")
        self.assertEqual(held[-1].recv(1), b"x")
        late = two.open("good.test", 7000)
        late.sendall(b"x")
        self.assertNotIn("error", self.control.ask(detach={"sandbox": "box0"}))
        self.assertEqual(fate(late, size=1), b"x")
        for connection in held:
            connection.close()

    def test_new_names_per_second(self):
        names = [f"n{number}.good.test" for number in range(40)]
        self.resolver.names.update(dict.fromkeys(names, [GOOD]))
        self.settings(new_names_per_second=1)
        box = self.box(policy("*.good.test"))
        statuses = [box.ask(name)[0] for name in names]
        self.assertIn(2, statuses)
        self.control.wait_for(reason="too_many_names")
        self.settings(new_names_per_second=1000)
        other = self.box(policy("*.good.test"), "other")
        self.assertEqual({other.ask(name)[0] for name in names}, {0})

    def test_limits_that_are_wrong(self):
        for wrong in ({"max_connections": 0}, {"tenant_connections": 0}, {"new_names_per_second": 0}):
            self.assertIn("error", self.control.ask(settings=wrong), wrong)


class Opened(TlsWorld):
    def test_opened_tls_has_rates_too(self):
        self.site()
        box = self.secret_box()
        ask = b"GET /big?%d HTTP/1.1\r\nHost: good.test\r\n\r\n" % (3 * MIB)

        def download():
            size = len(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (3 * MIB)) + 3 * MIB
            self.assertEqual(len(fate(self.secure(box), ask, size=size)), size)
        download()
        self.settings(bytes_per_second=MIB)
        begin = time.monotonic()
        download()
        self.assertEqual(self.get(box, f"Content-Length: {2 * MIB}", method="POST", body=b"x" * (2 * MIB))[0], 200)
        self.assertGreater(time.monotonic() - begin, 3.5)


if __name__ == "__main__":
    main()
