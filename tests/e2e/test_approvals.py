"""Executions that wait for a person: `atoll approve`, a server that is killed meanwhile, rules of the operator."""

import json
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

from server import Server, until
from support import ATOLL, atoll

API = "/api/v1"
RISKY = {"command": "eval 'echo ran'"}
FINAL = ("completed", "failed", "rejected", "cancelled", "timed_out")


class Approvals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.chmod(self.folder, 0o755)
        self.data = str(self.folder / "data")

    def server(self, *options):
        server = Server(self.data, *options, "--set", "policy.high=ask")
        self.addCleanup(server.stop)
        return server

    def ask(self, server, session, body=None):
        status, asked = server.call("POST", f"{API}/sessions/{session}/execute", body or RISKY, {"Prefer": "wait=60"})
        self.assertEqual((status, asked["state"]), (202, "awaiting_approval"), asked)
        return asked["execution_id"]

    def ended(self, server, execution):
        def look():
            row = server.call("GET", f"{API}/executions/{execution}")[1]
            return row["state"] in FINAL and row
        return until(look, "the end of the execution")

    def approve(self, server, *words, **more):
        return atoll("approve", "--server", server.base, *words, **more)

    # covers: atoll approve
    def test_list_show_and_decide(self):
        server = self.server("--no-auth")
        session = server.session(template_id="shell-default")
        execution = self.ask(server, session, {"code": "echo one\neval 'echo ran'\n", "language": "bash"})
        listed = self.approve(server, "ls", "-o", "json")
        self.assertEqual([one["id"] for one in json.loads(listed.out)["approvals"]], [execution])
        shown = self.approve(server, "show", execution[:20])
        self.assertEqual(shown.code, 0, shown)
        self.assertIn("   2  eval 'echo ran'\n      ^ critical shell-eval", shown.out)
        done = self.approve(server, execution, "--reason", "seen", "--remember", "10m")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.ended(server, execution)["stdout"], "one\nran\n")
        again = server.call("POST", f"{API}/sessions/{session}/execute", {"code": "echo one\neval 'echo ran'\n", "language": "bash"},
                            {"Prefer": "wait=60"})
        self.assertEqual((again[0], again[1]["stdout"]), (200, "one\nran\n"), "the same content")
        other = self.ask(server, session)
        self.assertEqual(self.approve(server, "--reject", other).code, 0)
        self.assertEqual(self.ended(server, other)["state"], "rejected")
        for words in ((other,), ("nothing",), ("show",), ("ls", "x"), ("--reject",), ("--remember", "x", other)):
            self.assertEqual(self.approve(server, *words).code, 125, words)

    def test_keys_of_a_terminal(self):
        server = self.server("--no-auth")
        session = server.session(template_id="shell-default")
        first, second = self.ask(server, session), self.ask(server, session, {"command": "eval 'echo second'"})
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = subprocess.Popen([ATOLL, "approve", "--server", server.base], stdin=theirs, stdout=theirs, stderr=theirs,
                                   start_new_session=True)
        os.close(theirs)
        seen = b""
        for key in (b"y", b"n"):  # the oldest comes first
            while not seen.endswith(b"[q] quit "):
                seen += os.read(ours, 4096)
            seen = b""
            os.write(ours, key)
        try:
            while os.read(ours, 4096):
                pass
        except OSError:  # the other end is closed
            pass
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(self.ended(server, first)["state"], "completed")
        self.assertEqual(self.ended(server, second)["state"], "rejected")

    def test_a_server_that_is_killed_meanwhile(self):
        server = self.server("--no-auth")
        session = server.session(template_id="shell-default")
        approved, rejected = self.ask(server, session), self.ask(server, session)
        status, told = server.call("POST", f"{API}/run", {"template_id": "shell-default", **RISKY})
        self.assertEqual(status, 202, told)
        server.kill()
        server.start()
        listed = server.call("GET", f"{API}/approvals")[1]["approvals"]
        self.assertEqual({one["id"] for one in listed}, {approved, rejected, told["execution_id"]})
        for execution, decision in ((approved, "approve"), (rejected, "reject"), (told["execution_id"], "approve")):
            answer = server.call("POST", f"{API}/approvals/{execution}", {"decision": decision})
            self.assertEqual(answer[0], 200, answer)
            self.assertEqual(server.call("POST", f"{API}/approvals/{execution}", {"decision": decision})[0], 409)
        self.assertEqual(self.ended(server, approved)["stdout"], "ran\n")
        self.assertEqual(self.ended(server, rejected)["state"], "rejected")
        self.assertEqual(self.ended(server, told["execution_id"])["stdout"], "ran\n")
        gone = told["session_id"]
        until(lambda: server.call("GET", f"{API}/sessions/{gone}")[1]["status"] == "terminated", "the end of the run's session")

    def test_the_time_is_up(self):
        server = self.server("--no-auth", "--set", "approvals.timeout=1")
        session = server.session(template_id="shell-default")
        execution = self.ask(server, session)
        self.assertEqual(self.ended(server, execution)["state"], "rejected")
        self.assertEqual(server.call("GET", f"{API}/approvals/{execution}")[1]["state"], "expired")
        self.assertEqual(self.approve(server, execution).code, 125)

    def test_rules_are_read_again(self):
        rules = self.folder / "rules.json"

        def write(level):
            rules.write_text(json.dumps({"rules": [{
                "id": "payroll", "language": "bash", "level": level, "when": "command", "names": ["payroll"],
                "message": "pays people", "example": "payroll"}]}))

        write("high")
        self.assertEqual(json.loads(atoll("policy", "check", "--rules", str(rules), "-o", "json", "-l", "bash", "-",
                                          stdin="payroll now").out)["level"], "high")
        server = self.server("--no-auth", "--set", f"policy.rules={rules}")

        def level():
            return server.call("POST", f"{API}/policy/check", {"code": "payroll now", "language": "bash"})[1]["level"]

        self.assertEqual(level(), "high")
        rules.write_text("{")
        self.assertEqual(level(), "high")
        write("medium")
        until(lambda: level() == "medium", "the new rules")
        rules.write_text('{"rules": [{"id": "dangerous-command"}]}')
        self.assertEqual(atoll("policy", "rules", "--rules", str(rules)).code, 125)


if __name__ == "__main__":
    unittest.main()
