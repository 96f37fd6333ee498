"""The conformance suite of the protocol and the Inspector's command line against a server."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from support_mcp import clients

from server import Server
from support import ATOLL

# What each scenario checks and a server can only pass with tools made for the suite, or with prompts.
NEEDS_TOOLS_OF_THE_SUITE = {
    ("2025-11-25", "server-initialize"): set(),
    ("2025-11-25", "server-session-lifecycle"): set(),
    ("2025-11-25", "ping"): set(),
    ("2025-11-25", "tools-list"): set(),
    ("2025-11-25", "resources-list"): set(),
    ("2025-11-25", "dns-rebinding-protection"): set(),
    ("2025-11-25", "server-sse-multiple-streams"): set(),
    ("2025-06-18", "server-initialize"): set(),
    ("2025-06-18", "ping"): set(),
    ("2025-06-18", "tools-list"): set(),
    ("2026-07-28", "tools-list"): set(),
    ("2026-07-28", "resources-list"): set(),
    ("2026-07-28", "dns-rebinding-protection"): set(),
    ("2026-07-28", "http-header-validation"): set(),
    ("2026-07-28", "server-sse-multiple-streams"): set(),
    ("2026-07-28", "sep-2164-resource-not-found"): set(),
    ("2026-07-28", "caching"): {"sep-2549-prompts-list-caching-hints"},
    ("2026-07-28", "server-stateless"): {
        "sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel"},
}
CHECK = re.compile(r"\[([\w.-]+)\s*\]\s*(SUCCESS|FAILURE)")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
PASSED = re.compile(r"^Passed: (\d+)/(\d+), (\d+) failed", re.MULTILINE)


class Suites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        clients.install()
        cls.folder = tempfile.TemporaryDirectory(prefix="atoll-mcp-")
        cls.addClassCleanup(cls.folder.cleanup)
        os.chmod(cls.folder.name, 0o755)
        cls.server = Server(os.path.join(cls.folder.name, "data"), "--no-auth")
        cls.addClassCleanup(cls.server.stop)

    def node(self, *words):
        return subprocess.run([clients.node(), *words], capture_output=True, text=True, timeout=120,
                              cwd=self.folder.name, env=clients.environment())

    def test_conformance(self):
        program = clients.module("@modelcontextprotocol/conformance/dist/index.js")
        for (version, scenario), expected in NEEDS_TOOLS_OF_THE_SUITE.items():
            with self.subTest(version=version, scenario=scenario):
                done = self.node(program, "server", "--url", f"{self.server.base}/mcp", "--spec-version", version,
                                 "--scenario", scenario)
                said = ANSI.sub("", done.stdout + done.stderr)
                failed = {name for name, outcome in CHECK.findall(said) if outcome == "FAILURE"}
                self.assertEqual(failed, expected, said)
                counts = PASSED.search(said)
                self.assertIsNotNone(counts, said)
                self.assertGreater(int(counts[1]), 0, said)
                self.assertEqual(int(counts[3]), len(expected), said)

    def inspect(self, *words, target=None):
        program = clients.module("@modelcontextprotocol/inspector/clients/launcher/build/index.js")
        target = target or [f"{self.server.base}/mcp", "--transport", "http"]
        done = self.node(program, "--cli", *target, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_inspector(self):
        tools = self.inspect("--method", "tools/list", "--strict")["tools"]
        self.assertEqual(tools[0]["name"], "run_code")
        ran = self.inspect("--method", "tools/call", "--tool-name", "run_code", "--tool-arg", "code=print(6 * 7)")
        self.assertEqual(ran["structuredContent"]["data"]["stdout"], "42\n")
        sandbox = ran["structuredContent"]["data"]["sandbox_id"]
        self.assertEqual(self.server.call("GET", f"/api/v1/sessions/{sandbox}")[0], 200)
        self.assertEqual(len(self.inspect("--method", "resources/templates/list")["resourceTemplates"]), 2)

    def test_inspector_on_stdio(self):
        # The server is named by the environment: the Inspector takes --server for itself.
        target = ["-e", f"ATOLL_SERVER={self.server.base}", ATOLL, "mcp"]
        ran = self.inspect("--method", "tools/call", "--tool-name", "run_command", "--tool-arg", "command=echo hi",
                           target=target)
        self.assertEqual(ran["structuredContent"]["data"]["stdout"], "hi\n")


if __name__ == "__main__":
    unittest.main()
