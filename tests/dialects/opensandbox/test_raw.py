"""What no SDK sends: bad input, wrong keys, sandboxes of others, sandboxes that die, clients that stop reading."""
import datetime
import http.client
import json
import os
import pathlib
import signal
import socket
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "e2e")]
from leftovers import Leftovers, pid_of  # noqa: E402
from rest import Rest, until  # noqa: E402
from server import DEADLINE, Server  # noqa: E402
from support import atoll  # noqa: E402

KEY = "OPEN-SANDBOX-API-KEY"
FORM = {"Content-Type": "multipart/form-data; boundary=B"}


def part(name, content):
    head = f'--B\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
    return head.encode() + content + b"\r\n"


class Raw(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="atoll-opensandbox-"))
        os.chmod(folder, 0o755)
        config = pathlib.Path(folder) / "config.json"
        config.write_text(json.dumps({"server": {"limits": {"upload_bytes": 1 << 20, "body_timeout": 5}},
                                      "dialects": {"opensandbox": {"images": {"mine": "shell-default"}}}}))
        cls.server = cls.enterClassContext(Server(folder + "/data", "--config", str(config)))
        make = lambda *more: atoll("key", "create", "--data", cls.server.data, *more).out.strip()
        cls.key = make("--role", "admin")
        cls.reader = make("--role", "read-only")
        cls.stranger = make("--role", "admin", "--tenant", "other")
        cls.rest = Rest(cls.server.base, cls.key)
        cls.id = cls.create()["id"]
        cls.execd = f"/sandboxes/{cls.id}/proxy/44772"

    def ask(self, method, path, body=None, key=None, **headers):
        """(status, JSON or bytes)"""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        fields = {KEY: self.key if key is None else key, **headers}
        if not fields[KEY]:
            del fields[KEY]
        host, _, port = self.server.base.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
        try:
            connection.request(method, path, data, fields)
            answer = connection.getresponse()
            text = answer.read()
            self.assertTrue(answer.headers["X-Request-Id"])
            try:
                return answer.status, json.loads(text)
            except ValueError:
                return answer.status, text
        finally:
            connection.close()

    @classmethod
    def create(cls, **body):
        body = {"image": {"uri": "python:3.11"}, "entrypoint": ["tail", "-f", "/dev/null"],
                "resourceLimits": {"cpu": "1", "memory": "2Gi"}, **body}
        status, _, text = cls.rest.raw("POST", "/v1/sandboxes", body)
        assert status == 202, text
        return json.loads(text)

    def assert_refused(self, got, status, code):
        self.assertEqual((got[0], got[1]["code"]), (status, code), got)
        self.assertTrue(got[1]["message"])

    def test_keys(self):
        self.assert_refused(self.ask("GET", "/v1/sandboxes", key=""), 401, "MISSING_API_KEY")
        self.assert_refused(self.ask("GET", "/v1/sandboxes", key="wrong-wrong-wrong-wrong"), 401, "INVALID_API_KEY")
        status, body = self.ask("POST", f"{self.execd}/command", {"command": "true"}, key="")
        self.assertEqual((status, "Unauthorized" in body["error"]), (401, True), body)
        self.assertEqual(self.ask("GET", f"/sandboxes/{self.id}/proxy/18080/policy", key="")[0], 401)
        self.assertEqual(self.ask("GET", f"/sandboxes/{self.id}/proxy/8000/", key="")[0], 401)
        self.assert_refused(self.ask("DELETE", f"/v1/sandboxes/{self.id}", key=self.reader), 403, "FORBIDDEN")
        self.assertEqual(self.ask("GET", f"/v1/sandboxes/{self.id}", key=self.reader)[0], 200)

    def test_sandboxes_of_others(self):
        for method, path, body in (("GET", f"/v1/sandboxes/{self.id}", None), ("DELETE", f"/v1/sandboxes/{self.id}", None),
                                   ("POST", f"/v1/sandboxes/{self.id}/pause", {}),
                                   ("GET", f"/v1/sandboxes/{self.id}/endpoints/44772", None),
                                   ("POST", f"/v1/sandboxes/{self.id}/snapshots", {}),
                                   ("GET", f"/v1/sandboxes/{self.id}/diagnostics/logs?scope=all", None)):
            self.assert_refused(self.ask(method, path, body, self.stranger), 404, "SANDBOX::NOT_FOUND")
        for method, path, body in (("GET", "/ping", None), ("POST", "/command", {"command": "true"}),
                                   ("GET", "/files/info?path=/workspace", None), ("GET", "/metrics", None),
                                   ("POST", "/pty", {})):
            got = self.ask(method, self.execd + path, body, self.stranger)
            self.assertEqual(got[0], 404, (path, got))
        self.assertEqual(self.ask("GET", "/v1/sandboxes", key=self.stranger)[1]["items"], [])
        # A token is for one session alone, and one that was tampered with is for none.
        endpoint = self.ask("GET", f"/v1/sandboxes/{self.id}/endpoints/44772")[1]
        [(field, token)] = endpoint["headers"].items()
        self.assertEqual(self.ask("GET", f"{self.execd}/ping", key="", **{field: token})[0], 200)
        other = self.create()["id"]
        self.assertEqual(self.ask("GET", f"/sandboxes/{other}/proxy/44772/ping", key="", **{field: token})[0], 401)
        for bad in (token[:-1] + ("0" if token[-1] != "0" else "1"), token.rpartition(".")[0] + ".", "", "..", "a.b", "x" * 4000):
            self.assertEqual(self.ask("GET", f"{self.execd}/ping", key="", **{field: bad})[0], 401, bad)
        # Nor does it open anything but the sandbox.
        self.assertEqual(self.ask("GET", "/v1/sandboxes", key="", **{field: token})[0], 401)
        self.assertEqual(self.ask("DELETE", f"/v1/sandboxes/{self.id}", key="", **{field: token})[0], 401)
        self.assertEqual(self.ask("DELETE", f"/v1/sandboxes/{other}")[0], 204)

    def test_malformed_bodies(self):
        image = {"image": {"uri": "python"}}
        for body in (b"{", b"[]", b'"x"', b"\xff\xfe", b'{"image":5}', {}, {"image": {"uri": ""}},
                     {**image, "snapshotId": "x"}, {**image, "timeout": -1}, {**image, "timeout": 0},
                     {**image, "timeout": 1 << 62}, {**image, "timeout": "60"}, {**image, "resourceLimits": {"cpu": "x"}},
                     {**image, "resourceLimits": {"memory": "1e400Gi"}}, {**image, "resourceLimits": {"memory": "-1"}},
                     {**image, "resourceLimits": {"gpu": "1"}}, {**image, "env": {"A=B": "x"}}, {**image, "env": {"A": 1}},
                     {**image, "metadata": {"": "x"}}, {**image, "metadata": {"opensandbox.io/x": "y"}},
                     {**image, "networkPolicy": {"defaultAction": "maybe"}},
                     {**image, "networkPolicy": {"egress": [{"action": "allow"}]}},
                     {**image, "platform": {"os": "windows", "arch": "amd64"}}):
            self.assert_refused(self.ask("POST", "/v1/sandboxes", body), 400, "SANDBOX::INVALID_PARAMETER")
        for more in ({"volumes": [{"name": "v", "mountPath": "/x", "host": {"path": "/etc"}}]}, {"templateId": "t"},
                     {"credentialProxy": {"enabled": True}}, {"extensions": {"poolRef": "p"}}):
            self.assert_refused(self.ask("POST", "/v1/sandboxes", {**image, **more}), 501, "NOT_SUPPORTED")
        self.assert_refused(self.ask("POST", "/v1/sandboxes", {"image": {"uri": "no/such"}}), 404, "SANDBOX::NOT_FOUND")
        for when in ("", "tomorrow", "2001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "99999-12-31T23:59:59Z"):
            got = self.ask("POST", f"/v1/sandboxes/{self.id}/renew-expiration", {"expiresAt": when})
            self.assert_refused(got, 400, "SANDBOX::INVALID_PARAMETER")
        for query in ("page=0", "page=x", "pageSize=201", "pageSize=-1", "page=99999999999999999999", "metadata=a",
                      "metadata=%25zz%3D1"):
            self.assert_refused(self.ask("GET", f"/v1/sandboxes?{query}"), 400, "SANDBOX::INVALID_PARAMETER")
        for port in ("0", "65536", "x", "-1"):
            self.assertEqual(self.ask("GET", f"/v1/sandboxes/{self.id}/endpoints/{port}")[0], 400)
        self.assert_refused(self.ask("GET", "/v1/none"), 404, "SANDBOX::NOT_FOUND")
        self.assert_refused(self.ask("PUT", "/v1/sandboxes"), 405, "METHOD_NOT_ALLOWED")
        self.assertEqual(self.ask("GET", "/v1/%zz")[0], 400)

    def test_too_much(self):
        large = {"image": {"uri": "python"}, "env": {"A": "x" * (17 << 20)}}
        self.assert_refused(self.ask("POST", "/v1/sandboxes", large), 413, "REQUEST_TOO_LARGE")
        self.assertEqual(self.ask("POST", f"{self.execd}/command", {"command": "x" * (17 << 20)})[0], 413)

    def test_a_paused_sandbox(self):
        sandbox = self.create()["id"]
        path = f"/v1/sandboxes/{sandbox}"
        self.assertEqual(self.ask("POST", f"{path}/resume")[0], 409)
        self.assertEqual(self.ask("POST", f"{path}/pause"), (202, b""))
        self.assert_refused(self.ask("POST", f"{path}/pause"), 409, "SANDBOX::INVALID_STATE")
        got = self.ask("POST", f"/sandboxes/{sandbox}/proxy/44772/command", {"command": "true"})
        self.assert_refused(got, 409, "RUNTIME_ERROR")
        self.assertEqual(self.ask("POST", f"{path}/resume"), (202, b""))
        self.assertEqual(self.ask("POST", f"/sandboxes/{sandbox}/proxy/44772/command", {"command": "true"})[0], 200)
        self.assertEqual(self.ask("DELETE", path)[0], 204)

    def test_a_crash_of_the_server(self):
        with tempfile.TemporaryDirectory(prefix="atoll-opensandbox-") as folder:
            os.chmod(folder, 0o755)
            with Server(folder + "/data") as server:
                key = atoll("key", "create", "--data", server.data, "--role", "user").out.strip()
                made = server.call("POST", "/v1/sandboxes", {"image": {"uri": "python"}}, {KEY: key})[1]["id"]
                token = server.call("GET", f"/v1/sandboxes/{made}/endpoints/44772", None, {KEY: key})[1]["headers"]
                command = f"/sandboxes/{made}/proxy/44772/command"
                self.assertEqual(server.call("POST", command, {"command": "echo kept > kept"}, token)[0], 200)
                server.kill()
                server.start()
                # What a client holds of before is good for the next server as well.
                status, events = server.call("POST", command, {"command": "cat kept"}, token)
                self.assertEqual(status, 200, events)
                self.assertIn(b'"text":"kept"', events)

    def test_malformed_commands(self):
        for body in (b"{", {}, {"command": ""}, {"command": "  "}, {"command": 5}, {"command": "a\0b"},
                     {"command": "true", "argv": ["true"]}, {"argv": []}, {"command": "true", "timeout": -1},
                     {"command": "true", "timeout": 1 << 62}, {"command": "true", "timeout": "1"},
                     {"command": "true", "envs": {"=": "x"}}, {"command": "x" * (200 << 10)}):
            self.assert_refused(self.ask("POST", f"{self.execd}/command", body), 400, "INVALID_REQUEST_BODY")
        self.assertEqual(self.ask("POST", f"{self.execd}/command", {"command": "true", "new": 1})[0], 200)
        self.assert_refused(self.ask("DELETE", f"{self.execd}/command"), 400, "MISSING_QUERY")
        self.assertEqual(self.ask("DELETE", f"{self.execd}/command?id=none")[0], 404)
        self.assertEqual(self.ask("GET", f"{self.execd}/command/none/logs?cursor=-1")[0], 400)
        self.assertEqual(self.ask("POST", f"{self.execd}/session/none/run", {"command": "true"})[0], 404)
        self.assertEqual(self.ask("POST", f"{self.execd}/code", {"code": "1", "context": {"id": "none"}})[0], 404)
        self.assert_refused(self.ask("POST", f"{self.execd}/code/context", {"language": "java"}), 400, "INVALID_REQUEST_BODY")
        self.assertEqual(self.ask("GET", f"{self.execd}/none")[0], 404)
        # Of another session of the same tenant: not here.
        other = self.create()["id"]
        status, events = self.ask("POST", f"/sandboxes/{other}/proxy/44772/command", {"command": "true"})
        self.assertEqual(status, 200)
        command = json.loads(events.split(b"\n\n")[0])["text"]
        self.assertEqual(self.ask("GET", f"{self.execd}/command/status/{command}")[0], 404)
        self.ask("DELETE", f"/v1/sandboxes/{other}")

    def test_files(self):
        up = lambda *parts: self.ask("POST", f"{self.execd}/files/upload", b"".join(parts) + b"--B--\r\n", **FORM)
        meta = lambda **fields: part("metadata", json.dumps(fields).encode())
        self.assertEqual(up(meta(path="/workspace/x"), part("file", b"1"))[0], 200)
        self.assertEqual(self.rest.file(self.id, "x")[0], b"1")
        for parts in ((part("file", b"1"),), (meta(mode=644), part("file", b"1")), (meta(path=""), part("file", b"1")),
                      (part("metadata", b"{"), part("file", b"1")), (meta(path="/workspace/y"),),
                      (meta(path="/workspace/y", mode=888), part("file", b"1")), (part("other", b"1"),),
                      (meta(path="/etc/passwd"), part("file", b"1")), (meta(path="/workspace/../x"), part("file", b"1"))):
            self.assertEqual(up(*parts)[0], 400, parts)
        self.assertEqual(self.ask("POST", f"{self.execd}/files/upload", b"x")[0], 415)
        self.assertEqual(self.ask("POST", f"{self.execd}/files/upload", b"--B\r\n", **FORM)[0], 400)
        self.assertEqual(up(meta(path="/workspace/large"), part("file", b"x" * (1 << 21)))[0], 413)
        self.assertEqual(self.rest.file(self.id, "large")[0], 404)
        self.assert_refused(self.ask("GET", f"{self.execd}/files/download"), 400, "MISSING_QUERY")
        self.assert_refused(self.ask("GET", f"{self.execd}/files/download?path=/workspace/no"), 404, "FILE_NOT_FOUND")
        self.assertEqual(self.ask("GET", f"{self.execd}/files/download?path=/workspace/x", Range="bytes=9-")[0], 416)
        self.assertEqual(self.ask("GET", f"{self.execd}/files/download?path=/workspace/x&offset=0")[0], 400)
        self.assertEqual(self.ask("GET", f"{self.execd}/files/download?path=/workspace")[0], 400)
        self.assertEqual(self.ask("POST", f"{self.execd}/files/replace", {"/workspace/x": {"old": "", "new": "a"}})[0], 400)
        self.assertEqual(self.ask("POST", f"{self.execd}/files/permissions", {"/workspace/x": {"mode": 644, "owner": "root"}})[0], 501)
        self.assertEqual(self.ask("GET", f"{self.execd}/directories/list?path=/workspace&depth=0")[0], 400)

    def test_answers_without_a_body_say_so(self):
        # Their JavaScript client parses an empty chunked body, and fails.
        host, _, port = self.server.base.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
        connection.request("POST", f"{self.execd}/directories", json.dumps({"/workspace/d": {"mode": 755}}), {KEY: self.key})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Length"], answer.read()), (200, "0", b""))
        connection.close()

    def test_a_sandbox_that_dies_ends_its_streams(self):
        for how in ("delete", "expiry", "guest"):
            sandbox = self.create()["id"]
            heard = threading.Event()
            events = []

            def listen():
                host, _, port = self.server.base.removeprefix("http://").partition(":")
                connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
                body = {"command": "echo begun; sleep 1000"}
                connection.request("POST", f"/sandboxes/{sandbox}/proxy/44772/command", json.dumps(body), {KEY: self.key})
                answer = connection.getresponse()
                while line := answer.readline():
                    if line.strip():
                        events.append(json.loads(line))
                        if events[-1]["type"] == "stdout":
                            heard.set()
                connection.close()

            listener = threading.Thread(target=listen)
            listener.start()
            self.assertTrue(heard.wait(DEADLINE))
            if how == "delete":
                self.assertEqual(self.ask("DELETE", f"/v1/sandboxes/{sandbox}")[0], 204)
            elif how == "guest":
                left = Leftovers(self.server.data)
                [box] = left.rows(f"SELECT sandbox_id FROM sessions WHERE id = '{sandbox}'")
                os.kill(pid_of(left.run / "boxes" / box), signal.SIGKILL)
            else:
                soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)
                renewed = self.ask("POST", f"/v1/sandboxes/{sandbox}/renew-expiration", {"expiresAt": soon.isoformat()})
                self.assertEqual(renewed[0], 200, renewed)
            listener.join(DEADLINE)
            self.assertFalse(listener.is_alive())
            self.assertEqual([events[0]["type"], events[-1]["type"]], ["init", "error"], events)
            self.assertNotIn("execution_complete", [event["type"] for event in events])
            until(lambda: self.ask("GET", f"/sandboxes/{sandbox}/proxy/44772/ping")[0] == 404, "the end of the sandbox")
            status, shown = self.ask("GET", f"/v1/sandboxes/{sandbox}")
            if how != "guest":
                self.assertEqual(status, 404)
                continue
            self.assertEqual((status, shown["status"]["state"]), (200, "Failed"), shown)
            logs = self.ask("GET", f"/v1/sandboxes/{sandbox}/diagnostics/logs?scope=container")[1]
            self.assertIn("begun\n", logs["content"])
            self.assertIn("state Failed", self.ask("GET", f"/v1/sandboxes/{sandbox}/diagnostics/events?scope=all")[1]["content"])

    def test_a_client_that_stops_reading(self):
        sandbox = self.create()["id"]
        host, _, port = self.server.base.removeprefix("http://").partition(":")
        deaf = socket.create_connection((host, int(port)), DEADLINE)
        body = json.dumps({"command": "yes"}).encode()
        deaf.sendall(f"POST /sandboxes/{sandbox}/proxy/44772/command HTTP/1.1\r\nHost: {host}:{port}\r\n{KEY}: {self.key}\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self.assertTrue(deaf.recv(100))
        # Others are served meanwhile, and the deaf one is given up.
        self.assertEqual(self.ask("POST", f"/sandboxes/{sandbox}/proxy/44772/command", {"command": "true"})[0], 200)

        def given_up():
            try:
                deaf.send(b"x")
                return False
            except OSError:
                return True

        until(given_up, "the connection of the client that does not read")
        deaf.close()
        # Nobody waits for its command, so it does not run on.
        until(lambda: self.rest.get(f"/sessions/{sandbox}/status")["running"] == [], "the end of its command")
        self.assertEqual(self.ask("DELETE", f"/v1/sandboxes/{sandbox}")[0], 204)

    def test_a_client_that_hangs_up(self):
        sandbox = self.create()["id"]
        host, _, port = self.server.base.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
        connection.request("POST", f"/sandboxes/{sandbox}/proxy/44772/command",
                           json.dumps({"command": "echo begun; sleep 1000"}), {KEY: self.key})
        answer = connection.getresponse()
        command = json.loads(answer.readline())["text"]
        while b"begun" not in answer.readline():
            pass
        answer.close()
        connection.close()
        until(lambda: self.rest.get(f"/executions/{command}")["state"] == "cancelled", "the end of the command")
        self.assertEqual(self.ask("DELETE", f"/v1/sandboxes/{sandbox}")[0], 204)

    def test_fifty_clients(self):
        failed = []

        def one(number):
            try:
                sandbox = self.create(metadata={"of": "fifty"})["id"]
                status, events = self.ask("POST", f"/sandboxes/{sandbox}/proxy/44772/command", {"command": f"echo {number}"})
                texts = [json.loads(event).get("text") for event in events.split(b"\n\n") if event]
                ended = self.ask("DELETE", f"/v1/sandboxes/{sandbox}")[0]
                if (status, str(number) in texts, ended) != (200, True, 204):
                    failed.append((number, status, events, ended))
            except Exception as error:  # pylint: disable=broad-except
                failed.append((number, error))

        clients = [threading.Thread(target=one, args=(number,)) for number in range(50)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(2 * DEADLINE)
        self.assertEqual(failed, [])
        self.assertEqual(self.ask("GET", "/v1/sandboxes?metadata=of%3Dfifty")[1]["pagination"]["totalItems"], 0)

    def test_the_entry_point_runs(self):
        sandbox = self.create(entrypoint=["sh", "-c", "echo entered > /workspace/entered; sleep 1000"])["id"]
        until(lambda: self.rest.file(sandbox, "entered")[0] == b"entered\n", "the entry point")
        self.assertEqual(self.ask("GET", f"/v1/sandboxes/{sandbox}")[1]["entrypoint"][0], "sh")
        mapped = self.create(image={"uri": "mine"})["id"]
        self.assertEqual(self.rest.get(f"/sessions/{mapped}")["template_id"], "shell-default")
        for one in (sandbox, mapped):
            self.ask("DELETE", f"/v1/sandboxes/{one}")

    def test_metrics_are_watched(self):
        host, _, port = self.server.base.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
        connection.request("GET", f"{self.execd}/metrics/watch", headers={KEY: self.key})
        answer = connection.getresponse()
        seen = []
        while len(seen) < 2:
            line = answer.readline().strip()
            if line:
                seen.append(json.loads(line))
        self.assertGreater(seen[1]["timestamp"], seen[0]["timestamp"])
        self.assertEqual(seen[0]["mem_total_mib"], 512)
        connection.close()


if __name__ == "__main__":
    unittest.main()
