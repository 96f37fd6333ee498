"""A web page in the operator's browser against the server, and pages out of sandboxes: real server, real sandbox."""

import http.client
import json
import os
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from server import DEADLINE, Server
from support import ATOLL

# Says what it was asked, with everything that a hostile page would send.
PAGE = r"""
import http.server, json
class H(http.server.BaseHTTPRequestHandler):
  def do_GET(self):
    self.send_response(200)
    for name, value in (("Content-Type", "text/html"), ("Set-Cookie", "evil=1; Domain=localhost"),
                        ("Service-Worker-Allowed", "/"), ("Clear-Site-Data", '"*"'),
                        ("Strict-Transport-Security", "max-age=9"), ("Access-Control-Allow-Origin", "*")):
      self.send_header(name, value)
    self.end_headers()
    self.wfile.write(json.dumps({"path": self.path, "headers": dict(self.headers)}).encode())
http.server.HTTPServer(("127.0.0.1", 8000), H).serve_forever()
"""


def request(server, method, target, body=None, **headers):
    """(status, fields, body): with exactly these fields, Host included."""
    address = urllib.parse.urlsplit(server.base)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=DEADLINE)
    try:
        connection.request(method, target, None if body is None else json.dumps(body),
                           {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    try:
        return answer.status, answer.headers, json.loads(text)
    except ValueError:
        return answer.status, answer.headers, text


def serve_page(server, headers):
    """A session with the page on its port 8000."""
    made = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait", **headers})[1]
    path = f"/api/v1/sessions/{made['id']}"
    server.call("PUT", path + "/files/page.py", PAGE.encode(), headers)
    server.call("POST", path + "/execute", {"command": "python3 page.py", "timeout": 0}, headers)
    deadline = time.monotonic() + DEADLINE
    while server.call("GET", path + "/proxy/8000/", headers=headers)[0] != 200:
        assert time.monotonic() < deadline
    return made["id"]


class WithoutKeysTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.socket = folder.name + "/data/api.sock"
        cls.server = Server(folder.name + "/data", "--no-auth", "--set", f"server.unix_socket={cls.socket}")
        cls.addClassCleanup(cls.server.stop)
        cls.port = urllib.parse.urlsplit(cls.server.base).port

    def sessions(self):
        return self.server.call("GET", "/api/v1/sessions?limit=200")[1]["sessions"]

    # covers: C41
    def test_a_rebound_name_reaches_nothing(self):
        before = len(self.sessions())
        for host in (f"evil.example:{self.port}", "evil.example", f"localhost.evil.example:{self.port}",
                     f"0.0.0.0:{self.port}"):
            for target, method in (("/api/v1/sessions", "POST"), ("/api/v1/sessions", "GET"), ("/health", "GET")):
                status, _, problem = request(self.server, method, target, {} if method == "POST" else None, Host=host,
                                             Origin="http://" + host, Content_Type="application/json")
                self.assertEqual((status, problem["code"]), (403, "foreign_host"), (host, target))
        self.assertEqual(len(self.sessions()), before)

    # covers: C41
    def test_pages_of_other_origins_reach_nothing(self):
        before = len(self.sessions())
        for origin in ("https://evil.example", "null"):
            status, _, problem = request(self.server, "POST", "/api/v1/sessions", {}, Origin=origin, Content_Type="text/plain")
            self.assertEqual((status, problem["code"]), (403, "foreign_origin"))
            status, _, problem = request(self.server, "GET", "/api/v1/sessions/x/pty", Origin=origin, Connection="Upgrade",
                                         Upgrade="websocket", Sec_WebSocket_Version="13", Sec_WebSocket_Key="a" * 22 + "==")
            self.assertEqual((status, problem["code"]), (403, "foreign_origin"))
        self.assertEqual(len(self.sessions()), before)

    # covers: C41
    def test_loopback_names_and_the_socket_are_served(self):
        for host in ("localhost", f"localhost:{self.port}", f"127.0.0.9:{self.port}", "[::1]:80", "atoll.localhost"):
            self.assertEqual(request(self.server, "GET", "/api/v1/sessions", Host=host)[0], 200, host)
        with socket.socket(socket.AF_UNIX) as stream:
            stream.settimeout(DEADLINE)
            stream.connect(self.socket)
            stream.sendall(b"GET /api/v1/sessions HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n")
            self.assertTrue(stream.makefile("rb").readline().startswith(b"HTTP/1.1 200 "))

    # covers: C42, C43
    def test_a_page_of_a_sandbox(self):
        session = serve_page(self.server, {})
        _, fields, seen = request(self.server, "GET", f"/api/v1/sessions/{session}/proxy/8000/a")
        self.assertEqual(seen["path"], "/a")
        self.assertTrue(fields["Content-Security-Policy"].startswith("sandbox "), fields)
        self.assertNotIn("allow-same-origin", fields["Content-Security-Policy"])
        for gone in ("Set-Cookie", "Service-Worker-Allowed", "Clear-Site-Data", "Strict-Transport-Security",
                     "Access-Control-Allow-Origin"):
            self.assertNotIn(gone, fields)
        host = f"8000-{session}.localhost:{self.port}"
        status, fields, seen = request(self.server, "GET", "/api/v1/sessions", Host=host)
        self.assertEqual((status, seen["path"]), (200, "/api/v1/sessions"))
        self.assertEqual(fields["Set-Cookie"], "evil=1")
        self.assertNotIn("Content-Security-Policy", fields)
        status, _, problem = request(self.server, "GET", "/", Host=host, Origin="https://evil.example")
        self.assertEqual((status, problem["code"]), (403, "foreign_origin"))
        # The page's own origin is foreign to the API.
        status, _, problem = request(self.server, "POST", "/api/v1/sessions", {}, Origin="http://" + host)
        self.assertEqual((status, problem["code"]), (403, "foreign_origin"))


class WithKeysTest(unittest.TestCase):
    # covers: createPreviewToken, C42
    def test_a_link_opens_the_preview(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            made = subprocess.run([ATOLL, "key", "create", "--data", folder + "/data", "-o", "json"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=True)
            key = {"X-API-Key": json.loads(made.stdout)["secret"]}
            with Server(folder + "/data", "--set", "server.preview_domain=p.example") as server:
                session = serve_page(server, key)
                status, token = server.call("POST", f"/api/v1/sessions/{session}/ports/8000/token", {}, key)
                self.assertEqual(status, 201, token)
                self.assertEqual(len(token["urls"]), 2)
                for url in map(urllib.parse.urlsplit, token["urls"]):
                    self.assertEqual(request(server, "GET", "/", Host=url.netloc)[0], 401)
                    status, fields, _ = request(server, "GET", f"{url.path}?{url.query}", Host=url.netloc)
                    self.assertEqual((status, fields["Location"]), (302, "/"))
                    self.assertNotIn("Domain", fields["Set-Cookie"])
                    self.assertIn("HttpOnly", fields["Set-Cookie"])
                    cookie = fields["Set-Cookie"].split(";")[0]
                    status, _, seen = request(server, "GET", "/api/v1/keys", Host=url.netloc, Cookie=cookie + "; mine=1")
                    self.assertEqual((status, seen["path"]), (200, "/api/v1/keys"))
                    self.assertEqual(seen["headers"]["Cookie"], "mine=1")
                    other = url.netloc.replace("8000-", "8001-")
                    status, _, problem = request(server, "GET", "/", Host=other, Cookie=cookie)
                    self.assertEqual((status, problem["code"]), (401, "preview_token_invalid"))
                seen = request(server, "GET", "/", Host=f"8000-{session}.localhost", **{"X_API_Key": key["X-API-Key"]})[2]
                self.assertNotIn(key["X-API-Key"], json.dumps(seen))
                status, _, answer = request(server, "GET", "/api/v1/sessions", Host="any.example",
                                            **{"X_API_Key": key["X-API-Key"]})
                self.assertEqual(status, 200, answer)


if __name__ == "__main__":
    unittest.main()
