"""Requests that are wrong, late or no longer allowed, to a server with keys."""

import os
import socket
import tempfile
import time
import unittest
import urllib.parse

from server import DEADLINE, Server
from support import atoll

API = "/api/v1"
HANDSHAKE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        os.chmod(cls.folder.name, 0o755)
        cls.server = Server(cls.folder.name + "/data")
        cls.addClassCleanup(cls.server.stop)
        cls.admin = cls.make_key("admin")
        cls.session = cls.call("POST", "/sessions", {"template_id": "shell-default"}, Prefer="wait")[1]["id"]
        cls.place = f"/sessions/{cls.session}"

    @classmethod
    def make_key(cls, role):
        return atoll("key", "create", "--data", cls.server.data, "--role", role).out.strip()

    @classmethod
    def call(cls, method, path, body=None, key=None, **headers):
        return cls.server.call(method, API + path, body, {"X-API-Key": key or cls.admin, **headers})

    def refused(self, answer, status, code, at=None):
        self.assertEqual((answer[0], answer[1]["code"]), (status, code), answer)
        if at is not None:
            self.assertEqual(answer[1]["at"], at)

    def open(self, method, path, key=None, body=b"", **headers):
        """A connection that the request was sent on, and nothing more."""
        address = urllib.parse.urlparse(self.server.base)
        connection = socket.create_connection((address.hostname, address.port), timeout=DEADLINE)
        self.addCleanup(connection.close)
        fields = {"Host": "x", "X-API-Key": key or self.admin, **headers}
        head = f"{method} {API}{path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        connection.sendall(head.encode() + b"\r\n" + body)
        return connection

    def rest_of(self, connection):
        """What comes until the server closes."""
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
        return b"".join(parts)

    def audit(self, query, key=None):
        """Its rows, the oldest first."""
        status, page = self.call("GET", f"/audit?{query}", key=key)
        self.assertEqual((status, page.get("next_cursor")), (200, None), page)
        return page["audit"][::-1]

    # covers: listAudit, pauseSession, resumeSession, openTerminal
    def test_what_was_done_is_recorded(self):
        session = self.call("POST", "/sessions", {"template_id": "shell-default"}, Prefer="wait")[1]["id"]
        for word in ("pause", "pause", "resume", "resume"):
            self.assertEqual(self.call("POST", f"/sessions/{session}/{word}")[0], 200)
        self.open("GET", f"/sessions/{session}/pty?command=cat%20s3cret", **HANDSHAKE)
        deadline = time.monotonic() + DEADLINE
        while len(rows := self.audit(f"session_id={session}")) < 4:
            self.assertLess(time.monotonic(), deadline, rows)
        self.assertEqual([row["action"] for row in rows],
                         ["session_created", "session_paused", "session_resumed", "terminal_opened"])
        self.assertEqual([row["detail"] for row in rows], ["shell-default", "", "", "cat"])
        self.assertEqual({(row["tenant"], row["outcome"]) for row in rows}, {("default", "ok")})
        self.assertEqual(len({row["key_id"] for row in rows} - {None}), 1, rows)
        self.assertEqual(self.call("DELETE", f"/sessions/{session}")[0], 204)
        self.assertEqual(self.audit(f"action=session_deleted&session_id={session}")[0]["key_id"], rows[0]["key_id"])

    # covers: listAudit, atoll key, C27
    def test_keys_of_the_command_line_are_recorded(self):
        key = atoll("key", "create", "--data", self.server.data, "--role", "admin", "--tenant", "auditors").out.strip()
        made, = self.audit("", key=key)
        self.assertEqual((made["action"], made["key_id"], made["tenant"]), ("key_created", None, "auditors"))
        atoll("key", "revoke", "--data", self.server.data, made["detail"])
        other = atoll("key", "create", "--data", self.server.data, "--role", "admin", "--tenant", "auditors").out.strip()
        self.assertEqual([(row["action"], row["detail"]) for row in self.audit("", key=other)][:2],
                         [("key_created", made["detail"]), ("key_revoked", made["detail"])])
        for role in ("user", "approver", "read-only"):
            self.refused(self.call("GET", "/audit", key=self.make_key(role)), 403, "forbidden")

    def test_a_member_that_is_said_twice(self):
        self.refused(self.call("POST", "/sessions", b'{"template_id":"shell-default","template_id":"python-default"}'),
                     400, "invalid_argument", "")

    # covers: pauseSession, resumeSession, renewSession, streamEvents
    def test_bodies_where_none_belongs(self):
        for word in ("pause", "resume"):
            self.refused(self.call("POST", f"{self.place}/{word}", {"x": 1}), 400, "invalid_argument", "/x")
            self.refused(self.call("POST", f"{self.place}/{word}", []), 400, "invalid_argument", "")
        self.refused(self.call("GET", "/events?session=x"), 400, "invalid_argument")
        form = {"content-type": "application/x-www-form-urlencoded"}  # what curl -d '' says
        self.assertEqual(self.call("POST", f"{self.place}/renew", b"", **form)[0], 200)
        self.refused(self.call("POST", f"{self.place}/renew", b"seconds=5", **form), 415, "unsupported_media_type")

    # covers: execute, putFile
    def test_a_body_that_ends_too_early(self):
        for path, kind in ((f"{self.place}/execute", "application/json"),
                           (f"{self.place}/files/cut", "application/octet-stream")):
            method = "PUT" if "files" in path else "POST"
            for frame, body in (("Content-Length", b'{"command"'), ("Transfer-Encoding", b'5\r\n{"com')):
                value = "100" if frame == "Content-Length" else "chunked"
                connection = self.open(method, path, body=body, **{"Content-Type": kind, frame: value})
                connection.shutdown(socket.SHUT_WR)
                answer = self.rest_of(connection)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
        self.assertEqual(self.call("GET", f"{self.place}/files/cut")[0], 404)

    # covers: execute
    def test_executions_that_cannot_be(self):
        self.refused(self.call("POST", f"{self.place}/execute", {"command": [""]}), 422, "invalid_value")
        self.refused(self.call("POST", f"{self.place}/execute", {"code": "1", "context": "nope"}), 404, "not_found")

    # covers: writeStdin
    def test_input_after_its_end(self):
        _, begun = self.call("POST", f"{self.place}/execute", {"command": "cat; sleep 1000", "timeout": 0, "stdin_open": True})
        place = f"/executions/{begun['execution_id']}"
        self.assertEqual(self.call("POST", f"{place}/stdin", {"data": "a", "close": True})[0], 204)
        self.refused(self.call("POST", f"{place}/stdin", {"data": "b"}), 409, "conflict")
        self.assertEqual(self.call("POST", f"{place}/stdin", {"close": True})[0], 204)
        deadline = time.monotonic() + DEADLINE
        while (said := self.call("GET", place)[1]["stdout"]) != "a":
            self.assertLess(time.monotonic(), deadline, said)
        self.assertEqual(self.call("DELETE", place)[0], 204)

    def test_fractions_are_written_as_people_do(self):
        connection = self.open("GET", "/templates/shell-default", Connection="close")
        self.assertIn(b'"cpu":0.5', self.rest_of(connection))

    # covers: revokeKey, atoll key
    def test_a_revoked_key_loses_what_it_has_open(self):
        for revoke in (lambda key: self.call("DELETE", f"/keys/{key}"),
                       lambda key: atoll("key", "revoke", key, "--data", self.server.data)):
            key = self.make_key("user")
            _, begun = self.call("POST", f"{self.place}/execute", {"command": "sleep 1000", "timeout": 0}, key=key)
            stream = self.open("GET", f"/executions/{begun['execution_id']}/stream", key=key)
            terminal = self.open("GET", f"{self.place}/pty", key=key, **HANDSHAKE)
            events = self.open("GET", "/events", key=key)
            for one, status in ((stream, b"200"), (terminal, b"101"), (events, b"200")):
                self.assertEqual(one.recv(4096)[9:12], status)
            (known,) = [one["id"] for one in self.call("GET", "/keys")[1]["keys"]
                        if one["role"] == "user" and not one["revoked_at"]]
            revoke(known)
            for one in (stream, terminal, events):
                self.rest_of(one)
            self.refused(self.call("GET", self.place, key=key), 401, "unauthenticated")
            # What was begun with it is its tenant's, and goes on.
            self.assertEqual(self.call("GET", f"/executions/{begun['execution_id']}")[1]["state"], "running")
            self.call("DELETE", f"/executions/{begun['execution_id']}")


if __name__ == "__main__":
    unittest.main()
