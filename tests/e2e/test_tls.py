"""A server with a certificate, and the clients that trust it or do not."""

import http.client
import json
import os
import ssl
import subprocess
import tempfile
import unittest

import support
from server import DEADLINE, Server
from support import atoll


def certificate(folder, name):
    """(certificate, key) for localhost and 127.0.0.1; it signs itself."""
    paths = f"{folder}/{name}.pem", f"{folder}/{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True, timeout=DEADLINE)
    os.chmod(paths[1], 0o644)  # the server reads it as a user of its own
    return paths


class Https(support.Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="atoll-tls-")
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.trusted, key = certificate(folder.name, "trusted")
        cls.stranger, _ = certificate(folder.name, "stranger")
        cls.server = Server(folder.name + "/data", "--set", f"server.tls.cert_file={cls.trusted}",
                            "--set", f"server.tls.key_file={key}")
        cls.addClassCleanup(cls.server.stop)
        cls.key = atoll("key", "create", "--data", cls.server.data, "--role", "user").out.strip()
        cls.port = int(cls.server.base.rsplit(":", 1)[1])

    def connection(self, trusted):
        made = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=DEADLINE,
                                           context=ssl.create_default_context(cafile=trusted))
        self.addCleanup(made.close)
        return made

    def atoll(self, command, *words, trusted=None, **more):
        return atoll(command, "--ca-file", trusted or self.trusted, *words,
                     env={"ATOLL_SERVER": self.server.base, "ATOLL_KEY": self.key}, **more)

    def test_answers_and_streams(self):
        self.assertTrue(self.server.base.startswith("https://"), self.server.base)
        connection = self.connection(self.trusted)
        for accept, mark in (("application/json", b'"stdout":"42\\n"'), ("text/event-stream", b"event: complete")):
            connection.request("POST", "/api/v1/run", json.dumps({"command": "echo 42"}), {
                "content-type": "application/json", "X-API-Key": self.key, "Accept": accept})
            answer = connection.getresponse()
            body = answer.read()
            self.assertEqual(answer.status, 200, body)
            self.assertIn(mark, body)

    def test_who_trusts_another_certificate_does_not_talk(self):
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.connection(self.stranger).request("GET", "/health")
        refused = self.expect_failure(self.atoll("ps", trusted=self.stranger), r"\w+")
        self.assertIn("certificate", refused.err)

    def test_no_plain_text(self):
        plain = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        self.addCleanup(plain.close)
        with self.assertRaises((http.client.HTTPException, OSError)):
            plain.request("GET", "/health")
            plain.getresponse()
        self.assertEqual(self.server.process.poll(), None)

    def test_the_command_line(self):
        session = self.expect(self.atoll("create", "shell-default")).out.strip()
        sent = os.urandom(1 << 20)
        self.file("data", sent)
        self.expect(self.atoll("cp", self.folder / "data", f"{session}:data"))
        self.assertEqual(self.expect(self.atoll("cp", f"{session}:data", "-")).raw_out, sent)
        self.expect(self.atoll("exec", session, "--", "sh", "-c", "wc -c < data; exit 3"), 3, f"{1 << 20}\n")
        self.expect(self.atoll("rm", session))


if __name__ == "__main__":
    unittest.main()
