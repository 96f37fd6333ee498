#!/usr/bin/env python3
"""Egress: hosts with secrets, whose TLS is opened. What a sandbox tries with placeholders, and what servers try.

Numbers are those of the list of attacks in docs/adr/0043-egress.md.

usage: egress_secrets_test.py --build DIR
"""
import base64
import json
import os
import re
import socket
import ssl
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_tls import (OTHER_PLACEHOLDER, PLACEHOLDER, VALUE, Signer, TlsWorld, given, server_context, use, wait_until)
from egress_world import OTHER, PATIENCE, Box, fate, main, policy, web


class Placeholders(TlsWorld):
    def test_39_become_values_for_their_hosts_only(self):
        good, other = self.site(), self.site("other.test", OTHER)
        third = self.site("third.test", OTHER, port=8443)
        self.resolver.names["third.test"] = [OTHER]
        rules = self.secret_policy("good.test", "other.test", "third.test", secrets=[use()],
                                   headers={"other.test": {"X-Set": {"value": "yes"}}})
        box = self.secret_box(rules)
        status, body = self.get(box, f"Authorization: Bearer {PLACEHOLDER}")
        self.assertEqual(status, 200)
        self.assertEqual(good.requests[-1].get("authorization"), f"Bearer {VALUE}")
        # Another host that is opened: unchanged, and an event says so.
        self.assertEqual(self.get(box, f"Authorization: Bearer {PLACEHOLDER}", name="other.test")[0], 200)
        self.assertEqual(other.requests[-1].get("authorization"), f"Bearer {PLACEHOLDER}")
        self.assertEqual(other.requests[-1].get("x-set"), "yes")
        self.control.wait_for(name="other.test", port=443, reason="secret_elsewhere", detail="TOKEN")
        # One that is not opened has its own certificate, and gets what the program said.
        context = ssl.create_default_context(cafile=str(self.root.certificate))
        raw = context.wrap_socket(box.open("third.test", 8443), server_hostname="third.test")
        fate(raw, f"GET / HTTP/1.1\r\nHost: third.test:8443\r\nX: {PLACEHOLDER}\r\nConnection: close\r\n\r\n".encode())
        self.assertEqual(third.requests[-1].get("x"), PLACEHOLDER)
        # A denied one: nothing.
        with self.assertRaises(OSError):
            self.secure(box, "denied.test")

    def test_39_with_the_wall_off(self):
        """What no_intercept leaves alone gets the placeholder as it is: the program cannot know the value."""
        good = self.site()
        box = self.secret_box(self.secret_policy(secrets=[use()], no_intercept=["good.test"]))
        context = ssl.create_default_context(cafile=str(self.root.certificate))
        raw = context.wrap_socket(box.open("good.test", 443), server_hostname="good.test")
        fate(raw, f"GET / HTTP/1.1\r\nHost: good.test\r\nX: {PLACEHOLDER}\r\nConnection: close\r\n\r\n".encode())
        self.assertEqual(good.requests[-1].get("x"), PLACEHOLDER)

    def test_39_in_every_form_of_a_header(self):
        good = self.site()
        box = self.secret_box(self.secret_policy(secrets=[use(), use("PAIR", "pair")]),
                              given({"token": VALUE, "pair": "a:b"}, {"TOKEN": PLACEHOLDER, "PAIR": OTHER_PLACEHOLDER}))
        basic = base64.b64encode(f"user:{PLACEHOLDER}".encode()).decode()
        self.get(box, f"Authorization: Basic {basic}", f"X-Twice: {PLACEHOLDER}", f"x-twice: {OTHER_PLACEHOLDER}",
                 f"Cookie: a={PLACEHOLDER}; b={OTHER_PLACEHOLDER}")
        request = good.requests[-1]
        self.assertEqual(base64.b64decode(request.get("authorization").removeprefix("Basic ")).decode(), f"user:{VALUE}")
        self.assertEqual(request.all("x-twice"), [VALUE, "a:b"])  # a first one hides no second one
        self.assertEqual(request.get("cookie"), f"a={VALUE}; b=a:b")

    def test_40_elsewhere_they_stay(self):
        good = self.site()
        box = self.secret_box()
        self.assertEqual(self.get(box, target=f"/?t={PLACEHOLDER}")[0], 200)
        self.assertEqual(good.requests[-1].target, f"/?t={PLACEHOLDER}")
        self.control.wait_for(name="good.test", reason="secret_not_in_header", detail="TOKEN")
        body = f"t={PLACEHOLDER}".encode()
        self.get(box, f"Content-Length: {len(body)}", method="POST", body=body)
        self.assertEqual(good.requests[-1].start, body)
        # Cut by the framing of chunks, it is still the same body.
        halves = [body[:20], body[20:]]
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(half), half) for half in halves) + b"0\r\n\r\n"
        self.control.refusals.clear()
        self.get(box, "Transfer-Encoding: chunked", method="POST", body=chunks)
        self.assertEqual(good.requests[-1].start, body)
        self.control.wait_for(name="good.test", reason="secret_not_in_header", detail="TOKEN")
        # Folded headers are refused.
        self.assertEqual(self.get(box, "X: a", f" {PLACEHOLDER}")[0], 400)
        self.assertNotIn(VALUE, str([request.fields for request in good.requests]) + str(self.control.refusals))

    def test_40_split_over_records_it_is_one_header(self):
        good = self.site()
        box = self.secret_box()
        connection = self.secure(box)
        head = f"GET / HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\nX: {PLACEHOLDER}\r\n\r\n".encode()
        for at in range(0, len(head), 7):
            connection.sendall(head[at:at + 7])  # a record each
        self.assertIn(b"200 OK", fate(connection))
        self.assertEqual(good.requests[-1].get("x"), VALUE)

    def test_header_rules(self):
        good, other = self.site(), self.site("x.other.test", OTHER)
        self.resolver.names["x.other.test"] = [OTHER]
        box = self.secret_box(self.secret_policy("good.test", "*.other.test", headers={
            "good.test": {"Authorization": {"secret": "token"}, "X-Team": {"value": "red"}},
            "*.other.test": {"X-Team": {"value": "any"}}, "x.other.test": {"X-Team": {"value": "exact"}}}))
        self.get(box, "Authorization: mine", "x-team: blue", "X-TEAM: green", "Connection: x-team, authorization")
        self.assertEqual(good.requests[-1].all("authorization"), [VALUE])
        self.assertEqual(good.requests[-1].all("x-team"), ["red"])
        self.assertEqual(good.requests[-1].get("connection"), "close")
        self.get(box, name="x.other.test")
        self.assertEqual(other.requests[-1].all("x-team"), ["exact"])

    def test_a_changed_policy_counts_at_once(self):
        good = self.site()
        box = self.secret_box()
        connection = self.secure(box)
        ask = f"GET / HTTP/1.1\r\nHost: good.test\r\nX: {PLACEHOLDER}\r\n\r\n".encode()
        for value in ("one", "two"):
            reply = self.control.ask(set_policy={"sandbox": "box", "policy": self.secret_policy(secrets=[use()]),
                                                 "secrets": given({"token": value})})
            self.assertNotIn("error", reply)
            connection.sendall(ask)
            answer = b""
            while b"sha256" not in answer:
                answer += connection.recv(65536)
            self.assertEqual(good.requests[-1].get("x"), value)
        self.assertEqual(good.server.connections, 1)
        connection.close()

    def test_a_connection_that_must_be_opened_from_now_on_ends(self):
        self.site()
        box = self.secret_box(policy("good.test"))
        context = ssl.create_default_context(cafile=str(self.root.certificate))
        raw = context.wrap_socket(box.open("good.test", 443), server_hostname="good.test")
        self.control.ask(set_policy={"sandbox": "box", "policy": self.secret_policy(secrets=[use()]), "secrets": given()})
        self.assertIn(fate(raw), ("ECONNRESET", b""))
        self.control.wait_for(name="good.test", reason="policy_changed")

    def test_in_clear_text_a_secret_is_refused(self):
        server = self.serve(80, web)
        rules = self.secret_policy("good.test", "other.test", secrets=[use()],
                                   headers={"other.test": {"X-Set": {"value": "yes"}}})
        box = self.secret_box(rules)
        ask = "GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n"
        answer = fate(box.open("good.test", 80), ask.format("good.test", PLACEHOLDER).encode())
        self.assertIn(b"HTTP/1.1 403 ", answer)
        self.control.wait_for(name="good.test", port=80, reason="secret_in_clear")
        self.assertIn(b"HTTP/1.1 200 ", fate(box.open("good.test", 80), ask.format("good.test", "y").encode(), 15))
        # Text of the policy is not secret; a placeholder of another host passes as it is.
        seen = []

        def remember(connection):
            seen.append(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        self.serve(80, remember, OTHER)
        fate(box.open("other.test", 80), ask.format("other.test", PLACEHOLDER).encode())
        self.assertIn(b"\r\nX-Set: yes\r\n", seen[0])
        self.assertIn(PLACEHOLDER.encode(), seen[0])
        self.control.wait_for(name="other.test", port=80, reason="secret_elsewhere", detail="TOKEN")
        # A header rule with a secret cannot be kept there.
        rules["headers"] = {"other.test": {"X-Set": {"secret": "token"}}}
        self.control.ask(set_policy={"sandbox": "box", "policy": rules, "secrets": given()})
        self.assertIn(b"HTTP/1.1 403 ", fate(box.open("other.test", 80), ask.format("other.test", "y").encode()))
        self.assertEqual([data[:3] for data in seen if data], [b"GET"])
        self.assertGreaterEqual(server.connections, 1)

    def test_what_is_missing_is_refused(self):
        box = Box(self.BUILD)
        self.addCleanup(box.close)

        def attach(rules, secrets):
            return self.control.ask(fds=(box.listener, box.dns), attach={
                "sandbox": "x", "policy": rules, **({"secrets": secrets} if secrets else {})})["error"]
        rules = self.secret_policy(secrets=[use()])
        for secrets, field in ((None, "/secrets/0/env"), (given({}), "/secrets/0/secret"),
                               (given(None, {"TOKEN": "short"}), "/secrets/0/env"),
                               ({**given(), "values": {"token": "!"}}, "/secrets/0/secret"),
                               (given({"token": "a\r\nX: b"}), "/secrets/0/secret")):
            self.assertEqual(attach(rules, secrets)["field"], field, secrets)
        headers = self.secret_policy(headers={"good.test": {"X": {"secret": "none"}}})
        self.assertEqual(attach(headers, given())["field"], "/headers/good.test/X/secret")
        # Without an authority nothing can be opened.
        fresh = self.client(self.start())
        reply = fresh.ask(fds=(box.listener, box.dns), attach={"sandbox": "x", "policy": rules, "secrets": given()})
        self.assertEqual(reply["error"]["code"], 1)
        for bad in ({"authority": "x"}, {"roots": "x"}, {"authority": self.instance.certificate.read_text()}):
            self.assertIn("error", fresh.ask(settings=bad))
        box.let_go()

    def test_values_that_grow_a_request_are_bounded(self):
        good = self.site()
        box = self.secret_box(None, given({"token": "v" * 60_000}))
        self.assertEqual(self.get(box, f"X: {PLACEHOLDER}")[0], 200)
        self.assertEqual(len(good.requests[-1].get("x")), 60_000)
        self.assertEqual(self.get(box, f"X: {PLACEHOLDER * 100}")[0], 431)


class Traces(TlsWorld):
    def regions_with(self, pid, needle):
        """Kinds of the memory regions of a process that hold these bytes: their flags in smaps."""
        found = []
        with open(f"/proc/{pid}/smaps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            begin = end = 0
            held = False
            for line in maps:
                if match := re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line):
                    begin, end = (int(text, 16) for text in match.groups())
                    try:
                        memory.seek(begin)
                        held = needle in memory.read(end - begin)
                    except (OSError, ValueError, OverflowError):
                        held = False
                elif line.startswith("VmFlags:") and held:
                    found.append(line.split()[1:])
                    held = False
                elif re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                    held = False
        return found

    def test_41_values_are_nowhere_but_where_they_are_kept(self):
        good = self.site()
        box = self.secret_box()
        for _ in range(3):
            status, body = self.get(box, f"Authorization: Bearer {PLACEHOLDER}")
            self.assertEqual(status, 200)
        self.assertIn(VALUE.encode(), body)  # a server that echoes shows it: hosts must be few
        self.assertEqual(good.requests[-1].get("authorization"), f"Bearer {VALUE}")
        worker = self.egress.worker()
        for needle in (VALUE.encode(), base64.b64encode(VALUE.encode())):
            regions = self.regions_with(worker, needle)
            self.assertEqual([flags for flags in regions if "dd" not in flags], [], needle)
        self.assertTrue(self.regions_with(worker, VALUE.encode()))  # so it can be found at all
        key = "".join(self.instance.key.read_text().splitlines()[1:-1])[:48].encode()
        self.assertEqual(self.regions_with(worker, key), [])
        for pid in (worker, self.egress.process.pid):
            for name in ("environ", "cmdline"):
                self.assertNotIn(VALUE, harness.read(f"/proc/{pid}/{name}"))
            self.assertIn("Max core file size        0 ", harness.read(f"/proc/{pid}/limits"))
            self.assertEqual(os.stat(f"/proc/{pid}/environ").st_uid, 0)  # not dumpable
        figures = self.control.ask(figures={"sandbox": "box"})
        self.assertNotIn(VALUE, json.dumps(figures) + json.dumps(self.control.refusals))
        # Forgotten with the sandbox.
        self.control.ask(detach={"sandbox": "box"})
        self.control.ask(hello={})
        self.assertEqual(self.regions_with(worker, VALUE.encode()), [])

    def test_41_errors_do_not_show_values(self):
        self.site(issuer=Signer(self.folder, "stranger"))
        box = self.secret_box()
        status, body = self.get(box, f"Authorization: Bearer {PLACEHOLDER}")
        self.assertEqual(status, 502)
        self.assertNotIn(VALUE.encode(), body)
        self.control.wait_for(name="good.test", reason="upstream_certificate")
        self.assertNotIn(VALUE, json.dumps(self.control.refusals))


class Upstream(TlsWorld):
    def refused_with(self, site, word, reason="upstream_certificate"):
        box = self.secret_box()
        status, body = self.get(box, f"X: {PLACEHOLDER}")
        self.assertEqual(status, 502, body)
        self.assertIn(word, body.decode())
        self.control.wait_for(name="good.test", port=443, reason=reason)
        self.assertEqual(site.requests, [])

    def test_42_with_the_wall_off(self):
        """The same server is reached as soon as its certificate is right."""
        self.site()
        self.assertEqual(self.get(self.secret_box())[0], 200)

    def test_42_expired(self):
        self.refused_with(self.site(days=-1), "expired")

    def test_42_self_signed(self):
        self.refused_with(self.site(pair=self.self_signed()), "self-signed")

    def self_signed(self):
        signer = Signer(self.folder, "good.test")
        return signer.certificate, signer.key

    def test_42_of_another_name(self):
        self.refused_with(self.site("evil.test"), "mismatch")

    def test_42_of_an_unknown_authority(self):
        self.refused_with(self.site(issuer=Signer(self.folder, "stranger")), "certificate")

    def test_42_of_the_instance_itself(self):
        """Its authority is for sandboxes: it says nothing about the internet."""
        self.refused_with(self.site(issuer=self.instance), "certificate")

    def test_no_tls_there(self):
        seen = []

        def plain(connection):
            seen.append(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        self.serve(443, plain)
        box = self.secret_box()
        self.assertEqual(self.get(box)[0], 502)
        self.control.wait_for(name="good.test", reason="upstream_tls")
        self.assertEqual(seen[0][:1], b"\x16")

    def test_a_server_that_hangs_up(self):
        self.serve(443, lambda connection: connection.recv(1))
        self.assertEqual(self.get(self.secret_box())[0], 502)

    def test_a_server_that_wants_a_client_certificate(self):
        context = server_context(self.root.issue("good.test"))
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(str(self.root.certificate))
        site = self.site()
        site.context = context
        self.assertEqual(self.get(self.secret_box())[0], 502)

    def test_no_connection_there(self):
        box = self.secret_box()
        with self.assertRaises((OSError, ssl.SSLError)):  # nobody listens
            self.get(box)
        self.control.wait_for(name="good.test", port=443, reason="dial_failed")

    def test_silence_there(self):
        self.serve(443, lambda connection: connection.recv(1 << 20, socket.MSG_PEEK) and wait_for_end(connection))
        status, body = self.get(self.secret_box())
        self.assertEqual(status, 502, body)
        self.control.wait_for(name="good.test", reason="upstream_tls", detail="the TLS handshake takes too long")


def wait_for_end(connection):
    while connection.recv(65536):
        pass


class Inside(TlsWorld):
    """What clients try on an opened connection."""

    def setUp(self):
        super().setUp()
        self.good = self.site()
        self.target = self.secret_box()

    def test_17_fronting(self):
        other = b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"
        ours = b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n"
        for bad in (other, b"GET / HTTP/1.1\r\n\r\n", b"GET https://other.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
                    b"GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: good.test\r\nHost: other.test\r\n\r\n"):
            self.assertIn(b"HTTP/1.1 421 ", self.asks(self.target, bad), bad)
        self.control.wait_for(name="good.test", port=443, reason="name_mismatch", detail="other.test")
        self.assertEqual(self.good.requests, [])
        answer = self.asks(self.target, ours + other)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK"), answer)
        self.assertIn(b"HTTP/1.1 421 ", answer)
        self.assertEqual([request.get("host") for request in self.good.requests], ["good.test"])
        # The name in the hello is checked before.
        raw = self.target.open("good.test", 443)
        with self.assertRaises(ssl.SSLError):
            self.trust().wrap_socket(raw, server_hostname="other.test")
        raw.close()

    def test_17_with_the_wall_off(self):
        """Where TLS is not opened, the server decides about the Host: the documented limit."""
        box = self.secret_box(self.secret_policy(secrets=[use()], no_intercept=["good.test"]), name="open")
        context = ssl.create_default_context(cafile=str(self.root.certificate))
        raw = context.wrap_socket(box.open("good.test", 443), server_hostname="good.test")
        self.assertIn(b"200 OK", fate(raw, b"GET / HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n"))

    def test_43_not_a_proxy(self):
        for request in (b"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n",
                        b"TRACE / HTTP/1.1\r\nHost: good.test\r\n\r\n"):
            self.assertIn(b"HTTP/1.1 405 ", self.asks(self.target, request))
        self.control.wait_for(name="good.test", port=443, reason="method_refused")
        big = b"GET / HTTP/1.1\r\nHost: good.test\r\n" + b"X: %s\r\n" % (b"x" * 1000) * 1000
        connection = self.secure(self.target)
        connection.sendall(big[:70_000])
        self.assertIn(b"HTTP/1.1 431 ", fate(connection))
        self.assertIn(self.asks(self.target, big)[:12], (b"HTTP/1.1 431", "ECONNRESET", "EPIPE"))
        self.assertEqual(self.good.requests, [])

    def test_smuggling(self):
        for bad in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Content-Length: 5\r\nContent-Length: 5\r\n",
                    b"Transfer-Encoding: xchunked\r\n", b"X: a\r\n b\r\n", b"X: a\0b\r\n", b"X : a\r\n",
                    b"Connection: content-length\r\nContent-Length: 5\r\n", b"Connection: close, Host\r\n"):
            answer = self.asks(self.target, b"POST / HTTP/1.1\r\nHost: good.test\r\n" + bad + b"\r\n0\r\n\r\n")
            self.assertIn(b"HTTP/1.1 400 ", answer, bad)
        self.assertEqual(self.good.requests, [])

    def test_44_http2_only(self):
        self.assertEqual(self.secure(self.target, alpn=("h2", "http/1.1")).selected_alpn_protocol(), "http/1.1")
        with self.assertRaisesRegex(ssl.SSLError, "(?i)no.application.protocol"):
            self.secure(self.target, alpn=("h2",))
        self.control.wait_for(name="good.test", port=443, reason="only_http1", detail="http/1.1 only")
        self.control.refusals.clear()
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        self.assertIn(b"HTTP/1.1 400 ", self.asks(self.target, preface, alpn=None))
        self.control.wait_for(name="good.test", port=443, reason="only_http1")
        with self.secure(self.target, alpn=None) as connection:
            self.assertIsNone(connection.selected_alpn_protocol())

    def test_a_client_that_does_not_trust_the_authority(self):
        context = ssl.create_default_context(cafile=str(self.root.certificate))
        with self.assertRaises(ssl.SSLCertVerificationError):
            context.wrap_socket(self.target.open("good.test", 443), server_hostname="good.test")
        self.control.wait_for(name="good.test", port=443, reason="client_tls")

    def test_old_and_new_tls(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.secure(self.target, version=version) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: good.test\r\n\r\n")
                self.assertTrue(connection.recv(15).startswith(b"HTTP/1.1 200 OK"))

    def test_garbage_instead_of_records(self):
        for cut in (60, 200):
            raw = self.target.open("good.test", 443)
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = self.trust().wrap_bio(incoming, outgoing, server_hostname="good.test")
            with self.assertRaises(ssl.SSLWantReadError):
                tls.do_handshake()
            hello = outgoing.read()
            raw.sendall(hello)
            raw.recv(1)
            raw.sendall(b"\x17\3\3\x40\0" + os.urandom(cut) * 100)
            self.assertNotIsInstance(fate(raw), TimeoutError)
        self.assertEqual(self.get(self.target)[0], 200)

    def test_31_handshakes_that_stop(self):
        """Half a handshake has ten seconds; others are served meanwhile."""
        half = []
        for _ in range(50):
            raw = self.target.open("good.test", 443)
            outgoing = ssl.MemoryBIO()
            tls = self.trust().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="good.test")
            with self.assertRaises(ssl.SSLWantReadError):
                tls.do_handshake()
            raw.sendall(outgoing.read())
            half.append(raw)
        self.assertEqual(self.get(self.target)[0], 200)
        for raw in half:
            self.assertEqual(self.end_of(raw), "ECONNRESET")
        self.control.wait_for(name="good.test", port=443, reason="too_slow")

    def end_of(self, raw):
        """The error at its end, whatever came before."""
        outcome = b""
        while isinstance(outcome, bytes):
            outcome = fate_once(raw)
        return outcome

    def test_a_head_byte_by_byte_has_its_time(self):
        connection = self.secure(self.target)
        connection.sendall(b"GET / HTTP/1.1\r\n")
        self.assertIn(fate(connection), ("ECONNRESET", b""))
        self.control.wait_for(name="good.test", port=443, reason="too_slow")

    def test_a_client_that_dies_in_the_middle(self):
        worker = self.egress.worker()
        self.get(self.target)
        wait_until(lambda: not self.connections(), "connections end")
        before = len(os.listdir(f"/proc/{worker}/fd"))
        for _ in range(20):
            connection = self.secure(self.target)
            connection.sendall(b"POST / HTTP/1.1\r\nHost: good.test\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1000)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        wait_until(lambda: not self.connections(), "connections end")
        self.assertEqual(len(os.listdir(f"/proc/{worker}/fd")), before)
        self.assertEqual(self.get(self.target)[0], 200)

    def connections(self):
        return self.control.ask(figures={"sandbox": "box"})["figures"]["connections"]

    def test_an_answer_that_is_cut_looks_cut(self):
        """A server's end without TLS's own end is passed on without it: a cut answer does not look whole."""
        def cut(raw):
            connection = self.good.context.wrap_socket(raw, server_side=True)
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf")
            raw = socket.socket(fileno=connection.detach())
            raw.close()
        self.serve(8443, cut)
        connection = self.secure(self.target, port=8443)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: good.test:8443\r\n\r\n")
        data = b""
        with self.assertRaises((ssl.SSLEOFError, ssl.SSLError, ConnectionResetError)):
            connection.suppress_ragged_eofs = False
            while True:
                more = connection.recv(65536)
                if not more:
                    break
                data += more
        self.assertTrue(data.endswith(b"half"), data)
        connection.close()


def fate_once(raw):
    try:
        return raw.recv(65536) or "end"
    except ConnectionResetError:
        return "ECONNRESET"
    finally:
        raw.settimeout(PATIENCE)


if __name__ == "__main__":
    main()
