#!/usr/bin/env python3
"""Egress: which names and addresses a sandbox reaches, and what it reads when it does not.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_names_test.py --build DIR
"""
import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_world import (BLOCKED, GOOD, GOOD6, HOST, METADATA, OTHER, PATIENCE, PRIVATE, World, alert, client_hello,
                          dns_answer, dns_query, fate, main, policy, rule, web)


class Names(World):
    def test_01_any_port_of_an_allowed_name(self):
        box = self.box(policy(rules=[rule("good.test", 1, 22, 65000)]))
        for port in (1, 22, 65000):
            self.serve(port)
            self.assertEqual(fate(box.open("good.test", port), b"hello\n", size=6), b"hello\n", port)
        self.serve(5432)
        self.assertEqual(fate(box.open("good.test", 5432), b"hello\n"), "ECONNRESET")
        self.control.wait_for(name="good.test", port=5432, reason="port_denied")

    def test_02_a_denied_name_explains_itself(self):
        server = self.serve(443, address=OTHER)
        box = self.box()
        self.assertEqual(box.address("other.test"), BLOCKED)
        self.assertEqual(fate(box.open("other.test", 443), client_hello("other.test")), alert(49))
        answer = fate(box.open("other.test", 80), b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
        self.assertIn(b"HTTP/1.1 403 Forbidden\r\n", answer)
        self.assertIn(b"X-Atoll-Egress: denied\r\n", answer)
        self.assertIn(b"Atoll: other.test is not in this session's allowed domains\n", answer)
        self.assertEqual(fate(box.open("other.test", 22), b"SSH-2.0-x\r\n"), "ECONNRESET")
        for port in (0, 443, 80):
            self.control.wait_for(sandbox="box", name="other.test", port=port, reason="name_denied")
        self.assertEqual((server.connections, self.resolver.asked), (0, []))
        # Without the wall it is reached.
        self.control.ask(set_policy={"sandbox": "box", "policy": policy(default="allow")})
        self.assertEqual(fate(box.open("other.test", 443), client_hello("other.test"), size=5)[0], 0x16)

    def test_02_or_does_not_exist(self):
        box = self.box()
        self.settings(nxdomain=True)
        self.assertEqual(box.ask("other.test"), (3, [], None))

    def test_03_a_bare_address_has_no_rule(self):
        server = self.serve(443)
        box = self.box()
        self.assertEqual(fate(box.connect(GOOD, 443), client_hello("good.test")), "ECONNRESET")
        self.control.wait_for(name=GOOD, port=443, reason="address_denied")
        self.assertEqual(server.connections, 0)
        self.control.ask(set_policy={"sandbox": "box", "policy": policy("93.184.216.0/24")})
        self.assertEqual(fate(box.connect(GOOD, 443), b"any bytes", size=9), b"any bytes")

    def test_04_05_06_addresses_that_are_not_public(self):
        servers = [self.serve(80, web, address) for address in (PRIVATE, METADATA)]
        box = self.box(policy(default="allow"))
        for address in (METADATA, PRIVATE, "192.168.0.1", HOST, "fd00::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe",
                        "2002:a9fe:a9fe::", "100.100.100.200", "::ffff:10.1.2.3", "2a00:1450::1"):
            self.assertEqual(fate(box.connect(address, 80), b"GET / HTTP/1.1\r\n\r\n"), "ECONNRESET", address)
            shown = address.removeprefix("::ffff:")
            self.control.wait_for(name=shown, port=80, reason="not_public")
        self.assertEqual([server.connections for server in servers], [0, 0])
        # Without the wall they answer.
        self.control.ask(set_policy={"sandbox": "box", "policy": policy(default="allow", private=["10.0.0.0/8"])})
        self.assertIn(b"200 OK", fate(box.connect(PRIVATE, 80), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", size=15))
        self.assertEqual(servers[0].connections, 1)

    def test_04_a_policy_does_not_open_metadata_and_this_host(self):
        server = self.serve(80, web, METADATA)
        with self.host.entered():
            own = socket.create_server((HOST, 8080))
        self.addCleanup(own.close)
        box = self.box(policy(default="allow", private=["0.0.0.0/0", "::/0"]))
        for address, port in ((METADATA, 80), (HOST, 8080), ("fd00:ec2::254", 80)):
            self.assertEqual(fate(box.connect(address, port), b"x"), "ECONNRESET", address)
            self.control.wait_for(name=address, port=port, reason="not_public")
        self.assertEqual(server.connections, 0)
        self.settings(trusted=[f"{METADATA}/32"])  # only the operator does
        self.assertIn(b"200 OK", fate(box.connect(METADATA, 80), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", size=15))

    def test_04_addresses_of_this_host_are_read_again(self):
        box = self.box(policy(default="allow"))
        self.serve(7000)
        self.assertEqual(fate(box.connect(GOOD, 7000), b"x", size=1), b"x")
        self.host.run("ip", "address", "add", "93.184.217.1/32", "dev", "lo")

        def refused():
            self.assertEqual(fate(box.connect("93.184.217.1", 7000), b"x"), "ECONNRESET")
            return self.control.heard(name="93.184.217.1", reason="not_public")
        self.assertTrue(harness.poll_until(refused, PATIENCE))

    def test_07_a_name_with_an_address_that_is_not_public(self):
        servers = [self.serve(80, web, address) for address in (PRIVATE, METADATA)]
        box = self.box(policy("private.test", "meta.test", "own.test"))
        for name, address in (("private.test", PRIVATE), ("meta.test", METADATA), ("own.test", HOST)):
            answer = fate(box.open(name, 80), f"GET / HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
            self.assertIn(b"403 Forbidden", answer)
            self.assertIn(f"{name} resolves to {address}, which is not a public address".encode(), answer)
            self.assertEqual(fate(box.open(name, 443), client_hello(name)), alert(49))
            self.control.wait_for(name=name, port=443, reason="not_public", detail=address)
        self.assertEqual([server.connections for server in servers], [0, 0])
        self.control.ask(set_policy={"sandbox": "box", "policy": policy("private.test", private=[f"{PRIVATE}/32"])})
        self.assertIn(b"200 OK", fate(box.open("private.test", 80), b"GET / HTTP/1.1\r\nHost: private.test\r\n\r\n",
                                      size=15))

    def test_08_rebinding_and_mixed_answers(self):
        private, public = self.serve(7000, address=PRIVATE), self.serve(7000)
        answers = [[GOOD], [PRIVATE], [PRIVATE]]
        self.resolver.names.update({"rebind.test": lambda: answers.pop(0), "mixed.test": [PRIVATE, METADATA, GOOD]})
        self.resolver.ttl = 0
        box = self.box(policy("rebind.test", "mixed.test"))
        address = box.address("rebind.test")
        self.assertEqual(fate(box.connect(address, 7000), b"x"), "ECONNRESET")
        self.control.wait_for(name="rebind.test", port=7000, reason="not_public")
        self.assertEqual(fate(box.open("mixed.test", 7000), b"x", size=1), b"x")
        self.assertEqual((private.connections, public.connections), (0, 1))

    def test_09_an_alias_is_judged_by_the_asked_name_and_the_last_address(self):
        self.serve(7000, address=OTHER)
        self.resolver.aliases = {"alias.test": "other.test", "inner.test": "private.test"}
        box = self.box(policy("alias.test", "inner.test"))
        self.assertEqual(fate(box.open("alias.test", 7000), b"x", size=1), b"x")
        self.assertEqual(fate(box.open("inner.test", 7000), b"x"), "ECONNRESET")
        self.control.wait_for(name="inner.test", port=7000, reason="not_public")

    def test_18_19_forms_of_names(self):
        self.resolver.names.update({"a.good.test": [GOOD], "a.b.good.test": [GOOD], "_x.good.test": [GOOD],
                                    "xn--bcher-kva.test": [GOOD]})
        box = self.box(policy("*.good.test", "xn--bcher-kva.test"))
        one = box.address("a.good.test")
        for same in ("A.Good.TEST", "a.good.test."):
            self.assertEqual(box.address(same), one)
        for allowed in ("a.b.good.test", "_x.good.test", "xn--bcher-kva.test"):
            self.assertNotIn(box.address(allowed), (BLOCKED, one))
        for denied in ("good.test", "apigood.test", "a.good.test.evil.test", "xn--bcher-kvb.test"):
            self.assertEqual(box.address(denied), BLOCKED, denied)
        for raw in (b"\x03a b\x04good\x04test\0", b"\x03a\0b\x04good\x04test\0", b"\x03a.b\x04good\x04test\0"):
            self.assertEqual(box.ask("", raw=raw)[:2], (3, []), raw)
        self.assertNotIn("good.test", self.resolver.asked)

    def test_21_dns_to_any_address_and_of_any_type(self):
        box = self.box(policy("good.test", "six.test", "none.test"))
        address = box.address("good.test")
        for server in ("8.8.8.8", "127.0.0.53", "1.1.1.1"):
            self.assertEqual(box.ask("good.test", server=server), (0, [address], None))
        for kind in (28, 16, 15, 64, 65, 255):
            self.assertEqual(box.ask("good.test", kind), (0, [], None))
        reverse = ".".join(reversed(address.split("."))) + ".in-addr.arpa"
        self.assertEqual(box.ask(reverse, 12), (0, [], "good.test"))
        self.assertEqual(box.ask("8.8.8.8.in-addr.arpa", 12), (3, [], None))
        self.assertEqual(box.ask("none.test"), (3, [], None))
        with box.connect("9.9.9.9", 53) as stream:
            query = dns_query("good.test")
            stream.sendall(struct.pack(">H", len(query)) + query)
            size = struct.unpack(">H", stream.recv(2, socket.MSG_WAITALL))[0]
            self.assertEqual(dns_answer(stream.recv(size, socket.MSG_WAITALL)), (0, [address], None))
        self.serve(7000, address=GOOD6)
        self.assertEqual(fate(box.open("six.test", 7000), b"x", size=1), b"x")

    def test_22_malformed_dns(self):
        box = self.box()
        with box.netns.socket(kind=socket.SOCK_DGRAM) as asker:
            asker.connect(("198.18.0.53", 53))
            two = dns_query("good.test")
            for bad in (b"", b"\0", b"\0" * 12, two[:4] + b"\0\2" + two[6:], two[:12] + b"\xc0\x0c\0\1\0\1", two[:-3]):
                asker.send(bad)
            asker.send(dns_query("good.test", number=7))
            while True:
                answer = asker.recv(4096)
                if answer[:2] == b"\0\7":
                    break
                self.assertEqual(answer[3] & 15, 1)  # a format error
        self.assertEqual(fate(box.connect("9.9.9.9", 53), b"\xff\xff"), b"")
        self.assertEqual(fate(box.connect("9.9.9.9", 53), b"\0\x20x"), b"")  # silence

    def test_30_services_of_this_host(self):
        with self.host.entered():
            own = socket.create_server(("127.0.0.1", 8080))
        self.addCleanup(own.close)
        self.resolver.names.update({"loop.test": ["127.0.0.1"], "zero.test": ["0.0.0.0"], "loop6.test": ["::1"]})
        box = self.box(policy("loop.test", "zero.test", "loop6.test", private=["0.0.0.0/0", "::/0"]))
        for name in ("loop.test", "zero.test", "loop6.test"):
            self.assertEqual(fate(box.open(name, 8080), b"x"), "ECONNRESET", name)
            self.control.wait_for(name=name, port=8080, reason="not_public")
        own.settimeout(0)
        self.assertRaises(BlockingIOError, own.accept)  # nobody came
        self.settings(trusted=["127.0.0.0/8"])  # without the wall somebody does
        connection = box.open("loop.test", 8080)
        own.settimeout(PATIENCE)
        own.accept()[0].close()
        connection.close()

    def test_35_the_resolver_is_down_or_nobody_answers(self):
        box = self.box(policy("good.test"))
        self.assertEqual(fate(box.open("good.test", 7), b"x"), "ECONNRESET")
        self.control.wait_for(name="good.test", port=7, reason="dial_failed")
        self.resolver.silent = True
        self.control.ask(set_policy={"sandbox": "box", "policy": policy("a.test")})
        self.assertEqual(box.ask("a.test"), (2, [], None))
        self.resolver.silent = False
        self.resolver.names["a.test"] = [GOOD]
        self.assertNotEqual(box.address("a.test"), BLOCKED)

    def test_45_tables_are_apart(self):
        one = self.box(policy("good.test"), "one")
        two = self.box(policy("other.test"), "two")
        address = one.address("good.test")
        self.serve(7000)
        self.assertEqual(fate(one.connect(address, 7000), b"x", size=1), b"x")
        self.assertEqual(fate(two.connect(address, 7000), b"x"), "ECONNRESET")
        reverse = ".".join(reversed(address.split("."))) + ".in-addr.arpa"
        self.assertEqual(two.ask(reverse, 12), (3, [], None))


if __name__ == "__main__":
    main()
