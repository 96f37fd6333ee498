#!/usr/bin/env python3
"""Egress: what a client says on an allowed connection must be for the name that it connected to.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_speech_test.py --build DIR
"""
import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from egress_world import World, alert, client_hello, echo, fate, main, policy, read_head, web

GET = b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n"


def rewrite_extensions(hello, change):
    """The hello with another list of extensions: change((type, content) list) gives it."""
    body = hello[9:]
    at = 2 + 32
    at += 1 + body[at]
    at += 2 + struct.unpack(">H", body[at:at + 2])[0]
    at += 1 + body[at]
    rest, extensions = body[at + 2:], []
    while rest:
        kind, size = struct.unpack(">HH", rest[:4])
        extensions.append((kind, rest[4:4 + size]))
        rest = rest[4 + size:]
    joined = b"".join(struct.pack(">HH", kind, len(content)) + content for kind, content in change(extensions))
    body = body[:at] + struct.pack(">H", len(joined)) + joined
    message = b"\1" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\3\1" + struct.pack(">H", len(message)) + message


class Tls(World):
    def setUp(self):
        super().setUp()
        self.server = self.serve(443)
        self.target = self.box(policy("good.test", "other.test"))

    def says(self, *pieces, port=443):
        connection = self.target.open("good.test", port)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces[:-1]:
            connection.sendall(piece)
        return fate(connection, pieces[-1], size=len(b"".join(pieces)))

    def test_10_server_names(self):
        for good in (client_hello("good.test"), client_hello("GOOD.Test")):
            self.assertEqual(self.says(good), good)
        for bad, number in ((client_hello("denied.test"), 112), (client_hello("other.test"), 112), (client_hello(), 49)):
            self.assertEqual(self.says(bad), alert(number))
        self.control.wait_for(name="good.test", port=443, reason="name_mismatch", detail="denied.test")
        self.control.wait_for(name="good.test", port=443, reason="no_server_name")

    def test_10_on_any_port(self):
        self.serve(22)
        self.assertEqual(self.says(client_hello("other.test"), port=22), alert(112))

    def test_11_in_pieces(self):
        for name in ("good.test", "other.test"):
            hello = client_hello(name)
            expected = hello if name == "good.test" else alert(112)
            self.assertEqual(self.says(*(hello[i:i + 1] for i in range(len(hello)))), expected)
        hello = client_hello("good.test")[5:]
        records = b"".join(b"\x16\3\1" + struct.pack(">H", len(hello[i:i + 16])) + hello[i:i + 16]
                           for i in range(0, len(hello), 16))
        self.assertEqual(self.says(records), records)

    def test_12_malformed_hellos(self):
        hello = client_hello("good.test")
        name = next(content for kind, content in self.extensions(hello) if kind == 0)
        two = struct.pack(">H", 2 * (len(name) - 2)) + name[2:] * 2
        for bad in (rewrite_extensions(hello, lambda all_: [*all_, (0, name)]),
                    rewrite_extensions(hello, lambda all_: [(k, two if k == 0 else c) for k, c in all_]),
                    rewrite_extensions(hello, lambda all_: [(k, name + b"\0" if k == 0 else c) for k, c in all_]),
                    hello[:3] + struct.pack(">H", len(hello) - 5 + 1) + hello[5:] + b"\0",
                    b"\x16\3\1\x40\0" + b"\1\0\xff\xff" + b"\0" * 16380 + (b"\x16\3\1\x40\0" + b"\0" * 16384) * 4,
                    b"\x80\x2e\1\0\2" + b"\0" * 41):
            self.assertEqual(self.says(bad), alert(50), bad[:16])
        self.control.wait_for(name="good.test", reason="malformed")

    def extensions(self, hello):
        found = []
        rewrite_extensions(hello, lambda all_: found.extend(all_) or all_)
        return found

    def test_13_encrypted_hellos(self):
        grease = (0xFE0D, b"\0" * 40)
        inner = rewrite_extensions(client_hello("good.test"), lambda all_: [grease, *all_])
        outer = rewrite_extensions(client_hello("provider.test"), lambda all_: [grease, *all_])
        self.assertEqual(self.says(inner), inner)
        self.assertEqual(self.says(outer), alert(112))
        self.settings(refuse_ech=True)
        self.assertEqual(self.says(inner), alert(49))


class Http(World):
    def setUp(self):
        super().setUp()
        self.server = self.serve(80, web)
        self.target = self.box(policy("good.test"))

    def says(self, data, size=1 << 20):
        return fate(self.target.open("good.test", 80), data, size)

    def answers(self, connection, data):
        connection.sendall(data)
        head, rest = read_head(connection)
        length = int(head.lower().split("content-length: ")[1].split("\r\n")[0])
        while len(rest) < length:
            rest += connection.recv(65536)
        return head.split("\r\n")[0], rest

    def test_requests_pass_on_a_kept_connection(self):
        with self.target.open("good.test", 80) as connection:
            for i in range(3):
                body = b"x" * 1000 * i
                request = b"POST /%d HTTP/1.1\r\nHost: good.test:80\r\nContent-Length: %d\r\n\r\n" % (i, len(body)) + body
                self.assertEqual(self.answers(connection, request),
                                 ("HTTP/1.1 200 OK", b"POST /%d HTTP/1.1 host=good.test:80 upgrade=None" % i))
            absolute = b"GET http://good.test/a HTTP/1.1\r\nHost: good.test\r\n\r\n"
            self.assertEqual(self.answers(connection, absolute)[0], "HTTP/1.1 200 OK")
            # Pipelined, byte by byte.
            for byte in GET + GET:
                connection.sendall(bytes([byte]))
            data = b""
            while data.count(b"host=good.test") < 2:
                data += connection.recv(65536)
        self.assertEqual(self.server.connections, 1)

    def test_14_hosts(self):
        for request in (b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: good.test\r\nHost: good.test\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: good.test:81\r\n\r\n",
                        b"GET http://other.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
                        b"GET http://x@good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n"):
            self.assertIn(b"HTTP/1.1 421 ", self.says(request), request)
        self.control.wait_for(name="good.test", port=80, reason="name_mismatch", detail="other.test")

    def test_15_a_second_request_for_another_host(self):
        answer = self.says(GET + b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer)
        self.assertIn(b"HTTP/1.1 421 ", answer)
        self.assertNotIn(b"host=other.test", answer)
        with self.target.open("good.test", 80) as connection:
            self.assertEqual(self.answers(connection, GET)[0], "HTTP/1.1 200 OK")
            self.assertIn(b"HTTP/1.1 421 ", fate(connection, b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"))

    def test_16_smuggling(self):
        for bad in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Content-Length: 5\r\nContent-Length: 5\r\n",
                    b"Content-Length: +5\r\n", b"Transfer-Encoding: chunked, chunked\r\n", b"X: a\r\n b\r\n",
                    b"Transfer-Encoding : chunked\r\n", b"Transfer-Encoding: xchunked\r\n", b"X: a\rb\r\n", b"X\r\n",
                    b"Content-Length: 99999999999999999999\r\n", b"X: a\0b\r\n"):
            self.assertIn(b"HTTP/1.1 400 ", self.says(b"POST / HTTP/1.1\r\nHost: good.test\r\n" + bad + b"\r\n0\r\n\r\n"), bad)
        for bad in (b"GET / HTTP/1.1\nHost: good.test\n\n", b"GET / HTTP/1.1\r\nHost: good.test\0\r\n\r\n", b"\r\n" + GET,
                    b"GET  / HTTP/1.1\r\nHost: good.test\r\n\r\n", b"GET / HTTP/2.0\r\nHost: good.test\r\n\r\n",
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /\r\n\r\n"):
            self.assertIn(b"HTTP/1.1 400 ", self.says(bad), bad)
        self.assertEqual(self.server.connections and self.says(GET, 15), b"HTTP/1.1 200 OK")

    def test_17_chunks_end_where_they_say(self):
        head = b"POST / HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        for bad in (b"5\r\nhelloX\r\n0\r\n\r\n", b"-5\r\n", b"5 \r\nhello\r\n", b"g\r\n", b"5\nhello\r\n", b"0x5\r\n",
                    b"1\r\nx\r\n0\r\nbad trailer\r\n\r\n", b"fffffffffffffffff\r\n"):
            self.assertIn(b"HTTP/1.1 400 ", self.says(head + bad), bad)
        # A request for another host behind the last chunk.
        answer = self.says(head + b"2\r\nab\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
        self.assertIn(b"HTTP/1.1 421 ", answer)

    def test_43_a_proxy_it_is_not(self):
        self.assertIn(b"HTTP/1.1 405 ", self.says(b"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n"))
        self.assertIn(b"HTTP/1.1 405 ", self.says(b"TRACE / HTTP/1.1\r\nHost: good.test\r\n\r\n"))
        big = b"GET / HTTP/1.1\r\nHost: good.test\r\n" + b"X: %s\r\n" % (b"x" * 1000) * 1000
        self.assertIn(self.says(big)[:12], (b"HTTP/1.1 431", b"ECONNRESET", "ECONNRESET"))
        self.control.wait_for(name="good.test", port=80, reason="malformed")

    def test_upgrades_to_websocket_only(self):
        ask = b"GET / HTTP/1.1\r\nHost: good.test\r\nConnection: upgrade\r\nUpgrade: %s\r\n\r\n"
        with self.target.open("good.test", 80) as connection:
            connection.sendall(ask % b"websocket")
            head, rest = read_head(connection)
            self.assertTrue(head.startswith("HTTP/1.1 101"), head)
            connection.sendall(b"\x81\x05hello\n\n")
            while len(rest) < 9:
                rest += connection.recv(100)
            self.assertEqual(rest, b"\x81\x05hello\n\n")
        with self.target.open("good.test", 80) as connection:
            self.assertIn(b"upgrade=None", self.answers(connection, ask % b"h2c")[1])
            self.assertIn(b"HTTP/1.1 421 ", fate(connection, b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"))

    def test_http_on_other_ports(self):
        self.serve(8080, web)
        other = b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"
        for request in (other, other.replace(b"GET", b"PROPFIND")):
            self.assertIn(b"HTTP/1.1 421 ", fate(self.target.open("good.test", 8080), request))
        # Servers skip empty lines before a request.
        for lines in (b"\r\n", b"\n", b"\r\n\r\n\n"):
            self.assertIn(b"HTTP/1.1 400 ", fate(self.target.open("good.test", 8080), lines + other), lines)
        request = b"GET / HTTP/1.1\r\nHost: good.test:8080\r\n\r\n"
        self.assertEqual(fate(self.target.open("good.test", 8080), request, 15), b"HTTP/1.1 200 OK")

    def test_a_server_may_speak_first(self):
        def greet(connection):
            connection.sendall(b"220 hello\r\n")
            echo(connection)
        self.serve(25, greet)
        with self.target.open("good.test", 25) as connection:
            self.assertEqual(connection.recv(11, socket.MSG_WAITALL), b"220 hello\r\n")
            connection.sendall(b"EHLO x\r\n")
            self.assertEqual(connection.recv(8, socket.MSG_WAITALL), b"EHLO x\r\n")


if __name__ == "__main__":
    main()
