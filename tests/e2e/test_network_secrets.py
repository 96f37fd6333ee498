"""Secrets: programs have placeholders, requests to the right hosts carry the values, and nothing else does."""
import json
import os
import re
import stat
import unittest

import support
from network_case import OTHER, NetworkCase, read_head
from server import until

VALUE = "tok-5e1f-never-inside"
PLACEHOLDER = re.compile(r"^atoll_secret_[0-9a-f]{32}$")


class SecretsCase(NetworkCase):
    def setUp(self):
        super().setUp()
        self.heads = []
        self.serve_tls("api.test", handler=self.keep_head)
        self.serve_tls("www.test", address=OTHER, handler=self.keep_head)

    def keep_head(self, connection):
        head, _ = read_head(connection)
        self.heads.append(head)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")

    def assertGot(self, header):
        self.assertIn(header, until(lambda: self.heads and self.heads.pop(), "a request"))


class Sessions(SecretsCase):
    def policy(self, **more):
        return {"rules": [{"action": "allow", "target": name, "ports": [443]} for name in ("api.test", "www.test")],
                "secrets": [{"env": "API_TOKEN", "secret": "api-token", "hosts": ["api.test"]}], **more}

    def session(self, server, **more):
        self.assertEqual(server.call("PUT", "/api/v1/secrets/api-token", {"value": VALUE})[0], 201)
        return server.session(template_id="shell-default", config={"network": self.policy(**more)})

    def curl(self, server, session, url, header="Authorization: Bearer $API_TOKEN"):
        done = server.execute(session, command=f'curl -sS -m 20 -H "{header}" {url}')
        self.assertEqual((done["stdout"], done["exit_code"]), ("hello", 0), done)

    def test_the_value_is_for_its_hosts(self):
        server = self.server()
        session = self.session(server)
        inside = server.execute(session, command="echo $API_TOKEN")["stdout"].strip()
        self.assertRegex(inside, PLACEHOLDER)
        self.curl(server, session, "https://api.test/")
        self.assertGot(f"Authorization: Bearer {VALUE}")
        self.curl(server, session, "https://www.test/")
        self.assertGot(f"Authorization: Bearer {inside}")

    def test_headers_of_the_policy(self):
        server = self.server()
        session = self.session(server, headers={"www.test": {"X-Key": {"secret": "api-token"}, "X-Plain": "yes"}})
        self.curl(server, session, "https://www.test/")
        head = until(lambda: self.heads and self.heads.pop(), "a request")
        self.assertIn(f"X-Key: {VALUE}", head)
        self.assertIn("X-Plain: yes", head)

    def test_contexts_and_later_servers(self):
        """The placeholder that a program has goes on working."""
        server = self.server()
        session = self.session(server)
        code = "import os; print(os.environ['API_TOKEN'])"
        first = server.execute(session, code=code, language="python")["stdout"]
        self.assertRegex(first.strip(), PLACEHOLDER)
        server.kill()
        server.start()
        self.assertEqual(server.execute(session, code=code, language="python")["stdout"], first)
        self.curl(server, session, "https://api.test/", f"Authorization: Bearer {first.strip()}")
        self.assertGot(f"Authorization: Bearer {VALUE}")

    def test_the_value_appears_nowhere(self):
        server = self.server()
        session = self.session(server)
        self.curl(server, session, "https://api.test/")
        self.assertGot(VALUE)
        inside = server.execute(session, command="env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null; grep -r tok-5e1f /tmp "
                                                 "/workspace /etc 2>/dev/null; true")
        self.assertNotIn(VALUE, json.dumps(inside))
        for path in (f"/sessions/{session}", f"/sessions/{session}/network", "/audit", "/secrets", "/secrets/api-token"):
            self.assertNotIn(VALUE, json.dumps(server.call("GET", "/api/v1" + path)[1]), path)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("cmdline", "environ"):
                try:
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        self.assertNotIn(VALUE.encode(), file.read(), (pid, name))
                except OSError:
                    pass
        for folder, _, files in os.walk(server.data):
            for name in files:
                if not stat.S_ISREG(os.stat(os.path.join(folder, name)).st_mode):
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(VALUE.encode(), file.read(), name)

    def test_a_live_session_gets_no_first_secret(self):
        server = self.server()
        self.assertEqual(server.call("PUT", "/api/v1/secrets/api-token", {"value": VALUE})[0], 201)
        session = server.session(template_id="shell-default", config={"network": {"default": "allow"}})
        status, problem = server.set_network(session, self.policy())
        self.assertEqual((status, problem["code"]), (422, "policy_unsupported"))

    def test_a_changed_secret(self):
        server = self.server()
        session = self.session(server)
        self.assertEqual(server.call("PUT", "/api/v1/secrets/api-token", {"value": "tok-2"})[0], 200)
        self.assertEqual(server.set_network(session, self.policy())[0], 200)
        self.curl(server, session, "https://api.test/")
        self.assertGot("Authorization: Bearer tok-2")


class Run(SecretsCase):
    def test_a_secret_of_one_run(self):
        words = ("-q", "--secret", "API_TOKEN=@env:TOKEN", "--secret-host", "API_TOKEN=api.test", "--", "sh", "-c",
                 'echo $API_TOKEN; curl -sS -m 20 -H "Authorization: Bearer $API_TOKEN" https://api.test/')
        outcome = self.run_inside(*words, env={**os.environ, "TOKEN": VALUE})
        self.assertEqual(outcome.code, 0, outcome)
        placeholder, body = outcome.out.split("\n")
        self.assertRegex(placeholder, PLACEHOLDER)
        self.assertEqual(body, "hello")
        self.assertGot(f"Authorization: Bearer {VALUE}")

    def test_from_a_file(self):
        file = self.file("token", VALUE + "\n", mode=0o600)
        words = ("-q", "--secret", f"T=@file:{file}", "--secret-host", "T=*.test", "--allow-net", "www.test", "--", "sh", "-c",
                 'curl -sS -m 20 -H "X: $T" https://www.test/')
        self.expect(self.run_inside(*words), out="hello")
        self.assertGot(f"X: {VALUE}")


if __name__ == "__main__":
    unittest.main()
