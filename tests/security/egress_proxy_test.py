#!/usr/bin/env python3
"""Egress: the operator's proxy that all connections go through (docs/adr/0068-upstream-proxy.md).

usage: egress_proxy_test.py --build DIR
"""
import contextlib
import socket
import struct
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from egress_internet import read_head
from egress_tls import TlsWorld
from egress_world import BLOCKED, GOOD, METADATA, OTHER, PATIENCE, PRIVATE, World, fate, main, policy


class ProxyServer:
    """A proxy on the host of the test, where connections of the relay come from: SOCKS 5 and CONNECT by first byte."""

    def __init__(self, case, port, user=None, refuse=False, names=None):
        self.asked, self.user, self.refuse, self.case = [], user, refuse, case
        self.names = names or {"good.test": GOOD}
        with case.host.entered():
            self.socket = socket.create_server(("127.0.0.1", port))
        case.addCleanup(self.socket.close)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def exactly(self, connection, size):
        data = b""
        while len(data) < size:
            more = connection.recv(size - len(data))
            if not more:
                raise OSError("closed")
            data += more
        return data

    def serve(self, connection):
        with contextlib.suppress(OSError, ValueError), connection:
            first = self.exactly(connection, 1)
            target = self.socks(connection) if first == b"\5" else self.connect(connection, first)
            if target is None:
                return
            with self.case.host.socket() as outside:
                outside.connect(target)
                # One piece with the first bytes of a host that speaks first.
                greeting = outside.recv(100) if target[1] == 7022 else b""
                connection.sendall((b"\5\0\0\1\0\0\0\0\0\0" if first == b"\5" else b"HTTP/1.1 200 OK\r\n\r\n") + greeting)
                back = threading.Thread(target=self.copy, args=(outside, connection))
                back.start()
                self.copy(connection, outside)
                back.join()

    def copy(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def socks(self, connection):
        methods = self.exactly(connection, self.exactly(connection, 1)[0])
        if self.user:
            if 2 not in methods:
                connection.sendall(b"\5\xff")
                return None
            connection.sendall(b"\5\2")
            self.exactly(connection, 1)
            user = self.exactly(connection, self.exactly(connection, 1)[0])
            password = self.exactly(connection, self.exactly(connection, 1)[0])
            right = f"{user.decode()}:{password.decode()}" == self.user
            connection.sendall(b"\1\0" if right else b"\1\1")
            if not right:
                return None
        else:
            connection.sendall(b"\5\0")
        kind = self.exactly(connection, 4)[3]
        if kind == 3:
            host = self.exactly(connection, self.exactly(connection, 1)[0]).decode()
        else:
            size = 4 if kind == 1 else 16
            host = socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, self.exactly(connection, size))
        port = struct.unpack(">H", self.exactly(connection, 2))[0]
        self.asked.append((host, port))
        if self.refuse:
            connection.sendall(b"\5\2\0\1\0\0\0\0\0\0")
            return None
        return self.names.get(host, host), port

    def connect(self, connection, first):
        head, _ = read_head(connection, first)
        host, _, port = head.split(" ")[1].rpartition(":")
        self.asked.append((host, int(port)))
        if self.refuse:
            connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return None
        return self.names.get(host, host), int(port)


class Upstream(World):
    def test_all_connections_go_through_it_by_name(self):
        def greet(connection):
            connection.sendall(b"hello\n")
            connection.recv(1)
        self.serve(7000)
        self.serve(7022, greet)
        for scheme, user in (("socks5", None), ("socks5", "me:secret"), ("http", None)):
            proxy = ProxyServer(self, 0, user)
            port = proxy.socket.getsockname()[1]
            self.settings(upstream=f"{scheme}://{user + '@' if user else ''}127.0.0.1:{port}")
            box = self.box(policy("good.test", "93.184.216.0/24"), name=f"box-{port}")
            self.assertEqual(fate(box.open("good.test", 7000), b"hello", size=5), b"hello")
            self.assertEqual(fate(box.open("good.test", 7022), size=6), b"hello\n")  # nothing of the host's is lost
            self.assertEqual(fate(box.connect(GOOD, 7000), b"hello", size=5), b"hello")
            self.assertEqual(proxy.asked, [("good.test", 7000), ("good.test", 7022), (GOOD, 7000)])
        self.assertNotIn("good.test", self.resolver.asked)

    def test_names_and_addresses_are_judged_before(self):
        proxy = ProxyServer(self, 0)
        self.settings(upstream=f"socks5://127.0.0.1:{proxy.socket.getsockname()[1]}")
        box = self.box(policy("good.test", default="deny"))
        self.assertEqual(box.address("other.test"), BLOCKED)
        open_box = self.box(policy(default="allow"), "open")
        for address in (METADATA, PRIVATE, "127.0.0.2"):
            with contextlib.suppress(ConnectionRefusedError):  # loopback stays inside
                self.assertEqual(fate(open_box.connect(address, 80), b"x"), "ECONNRESET")
        self.assertEqual(proxy.asked, [])

    def test_a_proxy_that_fails(self):
        box = self.box(policy("good.test"))
        refusing = ProxyServer(self, 0, refuse=True)
        with self.host.entered():
            silent = socket.create_server(("127.0.0.1", 0))
            rude = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        self.addCleanup(rude.close)

        def hang_up():
            with contextlib.suppress(OSError):
                while True:
                    rude.accept()[0].close()
        threading.Thread(target=hang_up, daemon=True).start()
        port = refusing.socket.getsockname()[1]
        for url in (f"socks5://127.0.0.1:{port}", f"http://127.0.0.1:{port}", f"socks5://127.0.0.1:{rude.getsockname()[1]}",
                    "http://127.0.0.1:9", "socks5://none.test:1080"):
            self.settings(upstream=url)
            self.control.refusals.clear()
            self.assertEqual(fate(box.open("good.test", 7000), b"x"), "ECONNRESET", url)
            self.control.wait_for(name="good.test", port=7000, reason="dial_failed")
        # One that says nothing costs its own connections, and is ended.
        self.settings(upstream=f"socks5://127.0.0.1:{silent.getsockname()[1]}")
        waiting = box.open("good.test", 7000)
        waiting.sendall(b"x")
        silent.settimeout(PATIENCE)
        taken, _ = silent.accept()
        self.settings(upstream="")
        self.serve(7000, address=GOOD)
        self.assertEqual(fate(box.open("good.test", 7000), b"x", size=1), b"x")
        taken.close()
        self.assertEqual(fate(waiting), "ECONNRESET")

    def test_what_is_no_proxy(self):
        for wrong in ("ftp://p:1", "socks5://p", "http://:1"):
            self.assertIn("error", self.control.ask(settings={"upstream": wrong}), wrong)

    def test_by_its_own_name(self):
        """The proxy's name is the operator's: its address may be private."""
        self.serve(7000)
        proxy = ProxyServer(self, 0)
        self.resolver.names["proxy.inner"] = ["127.0.0.1"]
        self.settings(upstream=f"http://proxy.inner:{proxy.socket.getsockname()[1]}")
        box = self.box(policy("good.test"))
        self.assertEqual(fate(box.open("good.test", 7000), b"hello", size=5), b"hello")


class OpenedByProxy(TlsWorld):
    def test_opened_tls_goes_through_it(self):
        """The proxy sees TLS: the host's certificate is verified, and the value is not shown to the proxy."""
        site = self.site()
        proxy = ProxyServer(self, 0)
        self.settings(upstream=f"socks5://127.0.0.1:{proxy.socket.getsockname()[1]}")
        box = self.secret_box()
        self.assertEqual(self.get(box)[0], 200)
        self.assertEqual((proxy.asked, len(site.requests)), ([("good.test", 443)], 1))
        proxy.names["good.test"] = OTHER  # leads elsewhere: that host has no certificate for the name
        self.site("other.test", OTHER)
        self.assertEqual(self.get(box)[0], 502)
        self.control.wait_for(name="good.test", reason="upstream_certificate")


if __name__ == "__main__":
    main()
