"""`atoll policy`, and a server whose configuration denies a level."""

import json
import os
import pathlib
import tempfile
import unittest

from server import Server
from support import atoll

API = "/api/v1"


class Policy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.chmod(self.folder, 0o755)

    def check(self, *words, stdin=""):
        return atoll("policy", "check", *words, stdin=stdin)

    # covers: atoll policy
    def test_check(self):
        script = self.folder / "a.js"
        script.write_text("const cp = require('child_process')\ncp.execSync('ls')\n")
        answer = self.check("-o", "json", str(script))
        self.assertEqual(answer.code, 0, answer)
        document = json.loads(answer.out)
        self.assertEqual(document["level"], "critical")
        self.assertEqual({finding["line"] for finding in document["findings"]}, {1, 2})
        self.assertEqual(self.check("--fail-on", "high", str(script)).code, 1)
        self.assertEqual(self.check("--fail-on", "high", "-l", "bash", "-", stdin="echo hi").code, 0)

    def test_sarif(self):
        answer = self.check("-o", "sarif", "-", stdin="import subprocess\n")
        (run,) = json.loads(answer.out)["runs"]
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("subprocess", "error"))
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1)

    def test_bad_input(self):
        for words in (("check",), ("check", "/nowhere/at/all"), ("check", "-l", "cobol", "-"), ("check", "--fail-on", "x", "-"),
                      ("nothing",), ()):
            answer = atoll("policy", *words, stdin="x")
            self.assertEqual(answer.code, 125, (words, answer))

    @unittest.skipUnless(os.geteuid() == 0, "zygotes and limits need root")
    def test_a_server_that_denies(self):
        with Server(str(self.folder / "data"), "--no-auth", "--set", "policy.critical=deny") as server:
            session = server.session(template_id="python-default")
            path = f"{API}/sessions/{session}/execute"
            status, answer = server.call("POST", path, {"code": "__import__('o' + 's').system('id')"})
            self.assertEqual((status, answer["code"]), (403, "forbidden"), answer)
            status, answer = server.call("POST", path, {"code": "print(6 * 7)"}, {"Prefer": "wait=60"})
            self.assertEqual((status, answer["stdout"]), (200, "42\n"), answer)
            status, answer = server.call("POST", path, {"code": "x=rm; $x -r -f /", "language": "bash"})
            self.assertEqual((status, answer["code"]), (403, "dangerous_command"), answer)


if __name__ == "__main__":
    unittest.main()
