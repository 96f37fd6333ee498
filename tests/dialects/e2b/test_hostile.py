#!/usr/bin/env python3
"""What clients of E2B can get wrong: keys, tenants, envelopes, sizes; and sandboxes that end meanwhile."""
import base64
import json
import pathlib
import socket
import struct
import sys
import threading
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from dialect_case import Case, Server, make_key, servers


def envelope(message, flags=0):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack(">BI", flags, len(data)) + data


def envelopes(data):
    """[(flags, message)]"""
    found = []
    while data:
        flags, size = struct.unpack(">BI", data[:5])
        found.append((flags, json.loads(data[5:5 + size])))
        data = data[5 + size:]
    return found


STREAM = {"content-type": "application/connect+json", "connect-protocol-version": "1"}


class Hostile(Case):
    @classmethod
    def setUpClass(cls):
        import tempfile

        cls.data = tempfile.TemporaryDirectory(prefix="atoll-e2b-")
        pathlib.Path(cls.data.name).chmod(0o755)
        cls.server = Server(cls.data.name + "/data")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.data.cleanup()

    def rest(self, method, path, body=None, key=None):
        headers = {"x-api-key": key or self.server.key, "content-type": "application/json"}
        return servers.Server.call(self.server, method, path, body, headers)

    def sandbox(self, key=None, **body):
        status, made = self.rest("POST", "/v2/sandboxes", {"templateID": "base", **body}, key)
        self.assertEqual(status, 201, made)
        self.addCleanup(self.rest, "DELETE", "/sandboxes/" + made["sandboxID"], None, key)
        return made

    def headers(self, box, **more):
        return {"e2b-sandbox-id": box["sandboxID"], "x-access-token": box["envdAccessToken"], **more}

    def rpc(self, box, name, message, **more):
        headers = {"content-type": "application/json", **self.headers(box, **more)}
        return servers.Server.call(self.server, "POST", "/" + name, message, headers)

    def raw(self, path, body, headers, method="POST"):
        """(status, bytes) of a request as it stands here."""
        import http.client

        connection = http.client.HTTPConnection(self.server.base.split("//")[1], timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def start(self, box, command, **more):
        body = {"process": {"cmd": "/bin/bash", "args": ["-c", command]}, "stdin": False}
        return self.raw("/process.Process/Start", envelope(body), self.headers(box, **STREAM, **more))

    def test_keys(self):
        status, error = self.rest("GET", "/sandboxes/x", key="e2b_" + "0" * 64)
        self.assertEqual((status, error["code"]), (401, 401))
        status, error = self.rest("GET", "/sandboxes/01k0000000000000000000000")
        self.assertEqual((status, error["code"]), (404, 404))
        self.assertIn("message", error)
        reader = make_key(self.server.data, "--role", "read-only")
        self.assertEqual(self.rest("GET", "/v2/sandboxes", key=reader)[0], 200)
        self.assertEqual(self.rest("POST", "/sandboxes", {"templateID": "base"}, key=reader)[0], 403)
        box = self.sandbox()
        self.assertNotIn("envdAccessToken", self.rest("GET", "/sandboxes/" + box["sandboxID"], key=reader)[1])

    def test_other_tenants(self):
        box = self.sandbox()
        other = make_key(self.server.data, "--role", "user", "--tenant", "other")
        mine = self.sandbox(other)
        name = "/sandboxes/" + box["sandboxID"]
        for method, path, body in [("GET", name, None), ("DELETE", name, None), ("POST", name + "/pause", {}),
                                   ("POST", name + "/timeout", {"timeout": 9}), ("POST", name + "/connect", {}),
                                   ("PUT", name + "/network", {}), ("GET", name + "/metrics", None),
                                   ("POST", name + "/snapshots", {})]:
            self.assertEqual(self.rest(method, path, body, other)[0], 404, (method, path))
        self.assertNotIn(box["sandboxID"], json.dumps(self.rest("GET", "/v2/sandboxes", key=other)[1]))
        for token in (mine["envdAccessToken"], "x", other):
            stolen = {**box, "envdAccessToken": token}
            self.assertEqual(self.rpc(stolen, "process.Process/List", {})[0], 401)
            self.assertEqual(self.raw("/files?path=a", None, self.headers(stolen), "GET")[0], 401)
            self.assertEqual(self.raw("/execute", b'{"code":"1"}',
                                      self.headers(stolen, **{"e2b-sandbox-port": "49999"}))[0], 401)
        self.assertEqual(self.raw("/health", None, {"e2b-sandbox-id": box["sandboxID"]}, "GET")[0], 401)
        self.assertEqual(self.rpc(box, "process.Process/List", {}), (200, {"processes": []}))

    def test_numbers(self):
        box = self.sandbox()
        name = "/sandboxes/" + box["sandboxID"]
        for number in (-1, 2**63, 2**64, 1e300, "9", 10**9, 9223372036854775807, True):
            self.assertEqual(self.rest("POST", name + "/timeout", {"timeout": number})[0], 400, number)
            self.assertEqual(self.rest("POST", name + "/connect", {"timeout": number})[0], 400, number)
            self.assertEqual(self.rest("POST", "/sandboxes", {"templateID": "base", "timeout": number})[0], 400)
        for size in ({"cols": 0, "rows": 1}, {"cols": 65536, "rows": 1}, {"cols": -1, "rows": 1}):
            message = {"process": {"cmd": "/bin/sh"}, "pty": {"size": size}}
            status, data = self.raw("/process.Process/Start", envelope(message), self.headers(box, **STREAM))
            self.assertEqual((status, envelopes(data)[-1][1]["error"]["code"]), (200, "invalid_argument"), size)
        for time in ("x", "-1", "99999999999999999999", "9223372036854775807", "5.", ".5", "1.x", "1.0.0", "1e3"):
            _, data = self.start(box, "true", **{"connect-timeout-ms": time})
            self.assertEqual(envelopes(data)[-1][1]["error"]["code"], "invalid_argument", time)
        for time, seen in (("60000.0", "exit status 0"), ("0.0", "exit status 0"), ("0.5", "deadline_exceeded")):
            _, data = self.start(box, "true" if seen.endswith("0") else "sleep 100", **{"connect-timeout-ms": time})
            self.assertIn(seen, json.dumps(envelopes(data)), time)
        for pid in (0, 2**31, -1, 1e300):
            self.assertIn(self.rpc(box, "process.Process/SendSignal", {"process": {"pid": pid}, "signal": 9})[0],
                          (400, 404), pid)

    def test_envelopes(self):
        box = self.sandbox()
        good = {"process": {"cmd": "/bin/true"}, "stdin": False}
        headers = self.headers(box, **STREAM)
        cases = {b"": "invalid_argument", b"\0\0\0": "invalid_argument", envelope(good)[:-1]: "invalid_argument",
                 envelope(good) * 2: "invalid_argument", envelope(good, 1): "unimplemented",
                 envelope(good, 0x10): "invalid_argument", envelope(b"{"): "invalid_argument",
                 envelope(b"[]"): "invalid_argument", b"\0\xff\xff\xff\xff": "resource_exhausted",
                 envelope({}): "invalid_argument", envelope({"process": {"cmd": "\0"}}): "invalid_argument"}
        for body, code in cases.items():
            status, data = self.raw("/process.Process/Start", body, headers)
            self.assertEqual((status, envelopes(data)[-1][0]), (200, 2), body)
            self.assertEqual(envelopes(data)[-1][1]["error"]["code"], code, body)
        status, data = self.raw("/process.Process/Start", b"\x1f\x8b", {**headers, "connect-content-encoding": "gzip"})
        self.assertEqual((status, json.loads(data)["code"]), (501, "unimplemented"))
        status, data = self.raw("/process.Process/List", b"{}", {**headers, "content-type": "text/plain"})
        self.assertEqual(status, 415 if status == 415 else 400, data)
        self.assertEqual(self.rpc(box, "process.Process/Nothing", {})[1]["code"], "unimplemented")

    def test_too_large(self):
        box = self.sandbox()
        body = {"process": {"pid": 1}, "input": {"stdin": "A" * (5 << 20)}}
        self.assertEqual(self.rpc(box, "process.Process/SendInput", body)[1]["code"], "resource_exhausted")
        with Server(str(self.folder / "small"), "--set", "server.limits.upload_bytes=1024") as small:
            _, made = servers.Server.call(small, "POST", "/sandboxes", {"templateID": "base"},
                                          {"x-api-key": small.key})
            answer = servers.Server.call(small, "POST", "/files?path=a", b"x" * 5000,
                                         {"content-type": "application/octet-stream", **self.headers(made)})
            self.assertEqual(answer[0], 413, answer)

    def test_protobuf(self):
        box = self.sandbox()
        start = b"\x0a\x13\x0a\x09/bin/bash\x12\x02-c\x12\x02pw\x20\x00"
        start = start.replace(b"\x12\x02pw", b"\x12\x07echo hi").replace(b"\x0a\x13", b"\x0a\x18")
        headers = self.headers(box, **{"content-type": "application/connect+proto"})
        status, data = self.raw("/process.Process/Start", envelope(start), headers)
        self.assertEqual(status, 200)
        self.assertIn(b"\x0a\x03hi\n", data)
        self.assertIn(b"exit status 0", data)
        self.assertTrue(data.endswith(envelope(b"{}", 2)), data)
        status, data = self.raw("/process.Process/List", b"\x0a\xff", {**headers, "content-type": "application/proto"})
        self.assertEqual((status, json.loads(data)["code"]), (400, "invalid_argument"))

    def test_users_and_paths(self):
        box = self.sandbox()
        root = "Basic " + base64.b64encode(b"root:").decode()
        self.assertEqual(self.rpc(box, "filesystem.Filesystem/Stat", {"path": "/"}, authorization=root)[0], 401)
        for path in ("/etc/shadow", "../../../etc/shadow", "/home/user/../../etc/shadow", "/proc/1/environ", "a\0b"):
            quoted = urllib.parse.quote(path)
            self.assertIn(self.raw(f"/files?path={quoted}", None, self.headers(box), "GET")[0], (400, 403, 404), path)
            self.assertIn(self.rpc(box, "filesystem.Filesystem/Stat", {"path": path})[0], (400, 403, 404), path)

    def test_ends_meanwhile(self):
        """A sandbox that ends while a stream of it is open: an error, and no hang."""
        for way in ("process", "watch", "code"):
            box = self.sandbox()
            seen = []
            if way == "process":
                call = lambda: self.start(box, "sleep 300")
            elif way == "watch":
                call = lambda: self.raw("/filesystem.Filesystem/WatchDir", envelope({"path": "/tmp"}),
                                        self.headers(box, **STREAM))
            else:
                call = lambda: self.raw("/execute", b'{"code":"import time; time.sleep(300)"}',
                                        self.headers(box, **{"e2b-sandbox-port": "49999"}))

            def ask():
                try:
                    seen.append(call())
                except OSError as error:
                    seen.append(error)
                except Exception as error:  # an answer that was cut
                    seen.append(error)

            thread = threading.Thread(target=ask)
            thread.start()
            path = "/api/v1/sessions/" + box["sandboxID"]
            if way != "watch":
                servers.until(lambda: self.server.call("GET", path)[1]["status"] == "running", "it runs")
            self.assertEqual(self.rest("DELETE", "/sandboxes/" + box["sandboxID"])[0], 204)
            thread.join(60)
            self.assertFalse(thread.is_alive(), way)
            if way == "process":
                self.assertEqual(envelopes(seen[0][1])[-1][1]["error"]["code"], "unavailable", seen)
            self.assertEqual(self.raw("/health", None, self.headers(box), "GET")[0], 502, way)
            self.assertEqual(self.rpc(box, "process.Process/List", {})[0], 502, way)

    def test_client_that_stops_reading(self):
        """The program waits, nothing grows, and others are served."""
        box = self.sandbox()
        host, port = self.server.base.split("//")[1].split(":")
        body = envelope({"process": {"cmd": "/bin/bash", "args": ["-c", "yes | head -c 300000000"]}, "stdin": False})
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers(box, **STREAM).items())
        with socket.create_connection((host, int(port)), 60) as lazy:
            lazy.sendall(f"POST /process.Process/Start HTTP/1.1\r\nhost: {host}:{port}\r\n{head}"
                         f"content-length: {len(body)}\r\n\r\n".encode() + body)
            self.assertIn(b"200", lazy.recv(100))
            status = pathlib.Path(f"/proc/{self.server.process.pid}/status")
            memory = lambda: int(status.read_text().split("VmRSS:")[1].split()[0])
            before = memory()
            for _ in range(20):
                self.assertIn(b'"stdout"', self.start(box, "echo served")[1])
            self.assertLess(memory() - before, 64 << 10)
        listed = lambda: self.rpc(box, "process.Process/List", {})[1]["processes"]
        servers.until(lambda: not listed(), "the program ends by itself, for nobody reads")

    def test_belongs_to_atoll(self):
        """Paths that stay Atoll's, whatever key comes with them."""
        self.assertEqual(self.rest("GET", "/health")[0], 200)
        self.assertIn("runtime_nodes_healthy", self.rest("GET", "/metrics")[1].decode())
        self.assertEqual(self.rest("GET", "/api/v1/sessions")[0], 200)
        status, error = servers.Server.call(self.server, "GET", "/sandboxes")
        self.assertEqual((status, "detail" in error), (401, True))

    def test_by_host(self):
        box = self.sandbox()
        port = self.server.base.rsplit(":", 1)[1]
        named = {"host": f"49983-{box['sandboxID']}.localhost:{port}", "x-access-token": box["envdAccessToken"]}
        self.assertEqual(self.raw("/health", None, named, "GET")[0], 204)
        named["host"] = f"49999-{box['sandboxID']}.localhost:{port}"
        self.assertEqual(self.raw("/health", None, named, "GET"), (200, b'"OK"'))
        self.assertEqual(self.raw("/health", None, {**named, "x-access-token": "x"}, "GET")[0], 401)

    def test_by_token(self):
        """e2b 2.7 sends envd the access token and no name of a sandbox."""
        box, other = self.sandbox(), self.sandbox()
        token = {"x-access-token": box["envdAccessToken"]}
        octets = {"content-type": "application/octet-stream"}
        self.assertEqual(self.raw("/files?path=a", b"mine", {**token, **octets})[0], 200)
        self.assertEqual(self.raw("/files?path=a", None, token, "GET"), (200, b"mine"))
        self.assertEqual(self.raw("/files?path=a", None, self.headers(box), "GET"), (200, b"mine"))
        self.assertEqual(self.raw("/files?path=a", None, {"x-access-token": other["envdAccessToken"]}, "GET")[0], 404)
        self.assertEqual(self.raw("/files?path=a", None, {"x-access-token": "x"}, "GET")[0], 502)
        self.assertEqual(self.raw("/files?path=a", None, {"x-api-key": self.server.key}, "GET")[0], 404)
        # Its connect() names the sandbox in a call of the REST API.
        named = {"x-api-key": self.server.key, "e2b-sandbox-id": box["sandboxID"], "e2b-sandbox-port": "49983"}
        status, again = self.raw(f"/sandboxes/{box['sandboxID']}/connect", b"{}", named)
        self.assertEqual((status, json.loads(again)["sandboxID"]), (200, box["sandboxID"]))
        self.assertEqual(self.raw("/health", None, token, "GET"), (204, b""))
        listed = self.raw("/process.Process/List", b"{}", {**token, "content-type": "application/json"})
        self.assertEqual((listed[0], json.loads(listed[1])), (200, {"processes": []}))
        self.assertEqual(self.raw("/health", None, {}, "GET")[0], 200)
        self.assertEqual(self.rest("POST", f"/sandboxes/{box['sandboxID']}/pause", {})[0], 204)
        self.assertEqual(self.raw("/health", None, token, "GET")[0], 502)
        self.assertEqual(self.rest("DELETE", "/sandboxes/" + box["sandboxID"])[0], 204)
        self.assertEqual(self.raw("/health", None, token, "GET")[0], 502)

    def test_times_of_files(self):
        """A sandbox may set any time; tmpfs keeps it."""
        box = self.sandbox()
        times = (-99999999999, -1, 0, 9223372036, 9223372037, 99999999999, 253402300799)
        command = "cd /tmp; " + "; ".join(f"touch -d @{time} t{time}" for time in times)
        self.assertIn("exit status 0", json.dumps(envelopes(self.start(box, command)[1])))
        status, answer = self.rpc(box, "filesystem.Filesystem/ListDir", {"path": "/tmp", "depth": 1})
        self.assertEqual(status, 200, answer)
        seen = {one["name"]: one["modifiedTime"] for one in answer["entries"]}
        self.assertEqual((seen["t-1"], seen["t0"]), ("1969-12-31T23:59:59.000Z", "1970-01-01T00:00:00.000Z"))
        for time in times:
            self.assertIn(f"t{time}", seen)
            sign = "1677" if time < -1 else "2262" if time > 2**33 else "19"
            self.assertTrue(seen[f"t{time}"].startswith(sign), (time, seen))
            status, info = self.rpc(box, "filesystem.Filesystem/Stat", {"path": f"/tmp/t{time}"})
            self.assertEqual((status, info["entry"]["modifiedTime"]), (200, seen[f"t{time}"]))
            status, _ = self.raw("/filesystem.Filesystem/Stat", b"\x0a" + bytes([len(f"/tmp/t{time}")]) + f"/tmp/t{time}".encode(),
                                 self.headers(box, **{"content-type": "application/proto"}))
            self.assertEqual(status, 200)
        execd = f"/sandboxes/{box['sandboxID']}/proxy/44772"
        status, info = self.rest("GET", execd + "/files/info?path=/tmp/t253402300799")
        self.assertEqual(status, 200, info)
        status, listed = self.server.call("GET", f"/api/v1/sessions/{box['sandboxID']}/files?path=/tmp")
        self.assertEqual(status, 200, listed)

    def test_expirations(self):
        """Of links: seconds that no clock of 64 bits of nanoseconds holds. Far ahead is valid, as the client signed it."""
        import hashlib

        box = self.sandbox()
        octets = {"content-type": "application/octet-stream"}
        self.assertEqual(self.raw("/files?path=a", b"1", {**self.headers(box), **octets})[0], 200)
        far = (9223372036, 9223372037, 99999999999, 9223372036854775, 9223372036854775807, 18446744073709551615)
        for expires, wanted in [(-1, 400), (0, 401), (1, 401), *((time, 200) for time in far), (18446744073709551616, 400)]:
            text = f"a:read:user:{box['envdAccessToken']}:{expires}"
            signature = "v1_" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            query = urllib.parse.urlencode({"path": "a", "username": "user", "signature": signature,
                                            "signature_expiration": expires})
            self.assertEqual(self.raw(f"/files?{query}", None, {}, "GET")[0], wanted, expires)

    def test_unsupported(self):
        for method, path in [("POST", "/v3/templates"), ("POST", "/v2/templates/x/builds/y"), ("GET", "/volumes"),
                             ("POST", "/volumes"), ("POST", "/secrets"), ("DELETE", "/templates/tags"),
                             ("POST", "/templates/tags"), ("GET", "/templates/aliases/x")]:
            status, error = self.rest(method, path, {} if method == "POST" else None)
            self.assertEqual((status, error["code"]), (501, 501), path)

    def test_metrics_of_many(self):
        box, paused = self.sandbox(), self.sandbox()
        self.assertEqual(self.rest("POST", f"/sandboxes/{paused['sandboxID']}/pause", {})[0], 204)
        other = make_key(self.server.data, "--role", "user", "--tenant", "metrics")
        strange = self.sandbox(other)
        ids = ",".join([box["sandboxID"], paused["sandboxID"], strange["sandboxID"], "none", ""])
        status, found = self.rest("GET", "/sandboxes/metrics?sandbox_ids=" + ids)
        self.assertEqual((status, list(found["sandboxes"])), (200, [box["sandboxID"]]), found)
        self.assertGreater(found["sandboxes"][box["sandboxID"]]["memTotal"], 0)
        self.assertEqual(self.rest("GET", "/sandboxes/metrics")[0], 400)
        self.assertEqual(self.rest("GET", "/sandboxes/metrics?sandbox_ids=" + "x," * 100 + "x")[0], 400)

    def test_time_out_pauses(self):
        """autoPause: nothing is lost when the time is over."""
        box = self.sandbox(timeout=1, autoPause=True)
        path = "/api/v1/sessions/" + box["sandboxID"]
        servers.until(lambda: self.server.call("GET", path)[1]["status"] == "paused", "it is paused")
        status, again = self.rest("POST", f"/v2/sandboxes/{box['sandboxID']}/connect", {"timeout": 60})
        self.assertEqual((status, again["sandboxID"]), (201, box["sandboxID"]))
        self.assertEqual(self.server.call("GET", path)[1]["status"], "ready")


if __name__ == "__main__":
    unittest.main()
