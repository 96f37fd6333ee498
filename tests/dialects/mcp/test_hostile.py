"""MCP on a server with keys, without a client library: other tenants, sandboxes that end meanwhile, clients that hang up
or stop reading, repeated ids, and times that no clock holds."""
import http.client
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

from support_mcp import clients  # noqa: F401  pylint: disable=unused-import  (it sets the path)

from server import Server, until
from support import ATOLL

DEADLINE = 60
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "hostile", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="atoll-mcp-"))
        os.chmod(folder, 0o755)
        data = folder + "/data"
        key = lambda *more: subprocess.run([ATOLL, "key", "create", "--data", data, *more], capture_output=True, text=True,
                                           timeout=DEADLINE, check=True).stdout.strip()
        cls.key, cls.stranger = key("--role", "owner"), key("--role", "user", "--tenant", "other")
        cls.server = cls.enterClassContext(Server(data))
        cls.sandbox = cls.data_of(cls.call("sandbox_create", {}))["sandbox_id"]

    @classmethod
    def request(cls, name, arguments, ident=1, meta=(), key=None):
        """(headers, body) of a call of the stateless protocol."""
        body = {"jsonrpc": "2.0", "id": ident, "method": "tools/call",
                "params": {"name": name, "arguments": arguments, "_meta": {**META, **dict(meta)}}}
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
                   "Authorization": f"Bearer {key or cls.key}", "MCP-Protocol-Version": "2026-07-28",
                   "Mcp-Method": "tools/call", "Mcp-Name": name}
        return headers, json.dumps(body).encode()

    @classmethod
    def send(cls, headers, body):
        """(status, headers, JSON of the answer or of the last event)"""
        connection = http.client.HTTPConnection(cls.server.base.removeprefix("http://"), timeout=DEADLINE)
        try:
            connection.request("POST", "/mcp", body, headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                text = [line[6:] for line in text.splitlines() if line.startswith(b"data: ")][-1]
            return answer.status, answer.headers, json.loads(text) if text else None
        finally:
            connection.close()

    @classmethod
    def call(cls, name, arguments, **more):
        status, _, answer = cls.send(*cls.request(name, arguments, **more))
        assert status == 200, (status, answer)
        return answer["result"]["structuredContent"]

    @staticmethod
    def data_of(content):
        assert content["status"] == "success", content
        return content["data"]

    def rest(self, method, path):
        return self.server.call(method, "/api/v1" + path, None, {"Authorization": f"Bearer {self.key}"})

    def running(self, sandbox):
        return self.rest("GET", f"/sessions/{sandbox}/status")[1]["running"]

    def test_keys(self):
        headers, body = self.request("sandbox_list", {}, key="atoll_none")
        status, answered, error = self.send(headers, body)
        self.assertEqual(status, 401, error)
        self.assertTrue(answered["WWW-Authenticate"])
        del headers["Authorization"]
        self.assertEqual(self.send(headers, body)[0], 401)

    def test_sandboxes_of_others(self):
        begun = self.data_of(self.call("run_command", {"command": "sleep 100", "background": True, "sandbox_id": self.sandbox}))
        for name, arguments in (("run_code", {"code": "1"}), ("run_command", {"command": "true"}),
                                ("file_read", {"path": "a"}), ("file_write", {"path": "a", "content": "b"}),
                                ("file_edit", {"path": "a", "old_text": "a", "new_text": "b"}), ("file_list", {}),
                                ("file_search", {"glob": "a"}), ("sandbox_info", {}), ("sandbox_pause", {}),
                                ("sandbox_resume", {}), ("sandbox_kill", {}), ("expose_port", {"port": 80}),
                                ("process_poll", {"process_id": begun["process_id"]}),
                                ("process_input", {"process_id": begun["process_id"], "text": "a"}),
                                ("process_kill", {"process_id": begun["process_id"]})):
            for wanted in (self.sandbox, "none"):
                content = self.call(name, {**arguments, "sandbox_id": wanted}, key=self.stranger)
                self.assertEqual(content["status"], "error", name)
                self.assertIn(content["error"]["code"], ("session_not_found", "not_found", "execution_not_found"), name)
        self.assertNotIn(self.sandbox, json.dumps(self.call("sandbox_list", {}, key=self.stranger)))
        self.assertEqual(len(self.running(self.sandbox)), 1)
        self.data_of(self.call("process_kill", {"process_id": begun["process_id"], "sandbox_id": self.sandbox}))

    def test_a_sandbox_that_ends_meanwhile(self):
        """An error, and no hang."""
        for name, arguments in (("run_command", {"command": "echo on; sleep 1000"}),
                                ("run_code", {"code": "import time; time.sleep(1000)"})):
            sandbox = self.data_of(self.call("sandbox_create", {}))["sandbox_id"]
            seen = []
            thread = threading.Thread(target=lambda: seen.append(self.call(name, {**arguments, "sandbox_id": sandbox})))
            thread.start()
            until(lambda: self.running(sandbox), "it runs")
            self.assertEqual(self.rest("DELETE", f"/sessions/{sandbox}")[0], 204)
            thread.join(DEADLINE)
            self.assertFalse(thread.is_alive(), name)
            self.assertEqual(seen[0]["status"], "error", seen)
            again = self.call(name, {**arguments, "sandbox_id": sandbox})
            self.assertEqual(again["error"]["code"], "conflict", again)

    def test_a_client_that_hangs_up(self):
        """What it had started ends, and its sandbox lives."""
        headers, body = self.request("run_command", {"command": "sleep 1000", "sandbox_id": self.sandbox},
                                     meta={"progressToken": 1})
        connection = http.client.HTTPConnection(self.server.base.removeprefix("http://"), timeout=DEADLINE)
        connection.request("POST", "/mcp", body, headers)
        until(lambda: self.running(self.sandbox), "it runs")
        connection.close()
        until(lambda: not self.running(self.sandbox), "it ends")
        self.assertEqual(self.data_of(self.call("run_command", {"command": "echo on", "sandbox_id": self.sandbox}))["stdout"],
                         "on\n")

    def test_a_client_that_stops_reading(self):
        """Others are served, and nothing grows."""
        headers, body = self.request("run_command", {"command": "yes | head -c 200000000; sleep 1000",
                                                     "sandbox_id": self.sandbox}, meta={"progressToken": 1})
        host, port = self.server.base.removeprefix("http://").split(":")
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status")
        memory = lambda: int(status.read_text().split("VmRSS:")[1].split()[0])
        with socket.create_connection((host, int(port)), DEADLINE) as lazy:
            lazy.sendall(f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            until(lambda: self.running(self.sandbox), "it runs")
            before = memory()
            for _ in range(20):
                answer = self.call("run_command", {"command": "echo served", "sandbox_id": self.sandbox})
                self.assertEqual(self.data_of(answer)["stdout"], "served\n")
            self.assertLess(memory() - before, 64 << 10)
        until(lambda: not self.running(self.sandbox), "it ends with its client")

    def test_ids(self):
        """Every request of the stateless protocol stands alone, so ids repeat freely."""
        answers = []
        ask = lambda: answers.append(self.send(*self.request("run_command", {"command": "sleep 0.2; echo a",
                                                                            "sandbox_id": self.sandbox}, ident="same")))
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
        self.assertEqual([(status, answer["id"]) for status, _, answer in answers], [(200, "same")] * 4)
        headers, body = self.request("sandbox_list", {})
        for bad in (None, 1.5, {}, [], True):
            wrong = json.dumps({**json.loads(body), "id": bad}).encode()
            status, _, answer = self.send(headers, wrong)
            self.assertEqual((status, answer["error"]["code"]), (400, -32600), bad)

    def test_bodies(self):
        headers, body = self.request("sandbox_list", {})
        for bad, code in ((b"", -32700), (b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"7", -32600),
                          (b'{"jsonrpc":"1.0","id":1,"method":"x"}', -32600), (b"[" * 5000, -32700),
                          (b"[" + body + b"]", -32600)):
            status, _, answer = self.send(headers, bad)
            self.assertEqual((status, answer["error"]["code"]), (400, code), bad[:40])
        self.assertEqual(self.send(headers, b" " * (17 << 20) + body)[0], 413)
        self.assertEqual(self.send({**headers, "Content-Type": "text/plain"}, body)[0], 415)
        self.assertEqual(self.send({**headers, "Accept": "text/html"}, body)[0], 406)
        status, _, answer = self.send({**headers, "MCP-Protocol-Version": "1999-01-01"}, body)
        self.assertEqual(status, 400, answer)
        unknown = {**json.loads(body), "method": "tools/none"}
        status, _, answer = self.send({**headers, "Mcp-Method": "tools/none"}, json.dumps(unknown).encode())
        self.assertEqual((status, answer["error"]["code"]), (404, -32601))

    def test_numbers(self):
        """Times and sizes that no clock and no counter of 64 bits holds."""
        far = (-1, -1e300, 1e300, 9.3e9, 9223372036854775807, 18446744073709551616)
        for number in far:
            for name, arguments in (("run_command", {"command": "true", "timeout": number}),
                                    ("run_code", {"code": "1", "timeout": number}),
                                    ("process_poll", {"process_id": "x", "wait_seconds": number}),
                                    ("expose_port", {"port": 80, "ttl_seconds": number}),
                                    ("file_read", {"path": "a", "limit": number}),
                                    ("sandbox_create", {"timeout_seconds": number})):
                content = self.call(name, arguments if name == "sandbox_create" else
                                    {**arguments, "sandbox_id": self.sandbox})
                self.assertEqual(content["status"], "error", (name, number))


if __name__ == "__main__":
    unittest.main()
