"""Atoll's backend for OpenSandbox servers on Atoll's own dialect: server A makes its sandboxes in server B."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "e2e")]
from rest import Rest, until  # noqa: E402
from server import Server, check_workspace  # noqa: E402
from support import atoll  # noqa: E402


class Behind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="atoll-opensandbox-")))
        cls.folder.chmod(0o755)
        cls.behind = cls.enterClassContext(Server(str(cls.folder / "behind")))
        cls.key = atoll("key", "create", "--data", cls.behind.data, "--role", "user").out.strip()
        cls.rest = Rest(cls.behind.base, cls.key)
        config = cls.folder / "front.json"
        config.write_text(json.dumps({
            "sandbox": {"enabled": True, "backend": "opensandbox", "mode": "per-session", "opensandbox": {
                "mode": "local", "entrypoint": ["sleep", "infinity"],
                "local": {"serverUrl": cls.behind.base, "apiKey": cls.key, "defaultImage": "python:3.11", "tosPath": ""}}},
            "pool": {"size": 0}}))
        cls.front = cls.enterClassContext(Server(str(cls.folder / "front"), "--config", str(config), "--no-auth"))

    def sandboxes(self):
        return self.rest.get("/sessions?status=ready,running,paused")["sessions"]

    def test_a_session_from_birth_to_death(self):
        front = self.front
        session = front.session()
        [behind] = self.sandboxes()
        self.assertEqual(front.execute(session, code="print(6 * 7)")["stdout"], "42\n")
        ran = front.execute(session, command="echo out; echo err >&2; exit 3")
        self.assertEqual((ran["stdout"], ran["stderr"], ran["exit_code"]), ("out\n", "err\n", 3))
        self.assertEqual(front.execute(session, command=["cat"], stdin="given")["stdout"], "given")
        self.assertEqual(front.execute(session, command="sleep 1000", timeout=1)["state"], "timed_out")
        base = f"/api/v1/sessions/{session}"
        self.assertLess(front.call("PUT", f"{base}/files/dir/a.txt", b"\x00bytes\xff")[0], 300)
        self.assertEqual(self.rest.file(behind["id"], "dir/a.txt")[0], b"\x00bytes\xff")
        self.assertEqual(front.execute(session, command="wc -c < dir/a.txt")["stdout"].strip(), "7")
        self.assertEqual(front.call("POST", f"{base}/pause")[0], 200)
        self.assertEqual(self.rest.get(f"/sessions/{behind['id']}")["status"], "paused")
        self.assertEqual(front.call("POST", f"{base}/resume")[0], 200)
        self.assertEqual(front.execute(session, command="echo awake")["stdout"], "awake\n")
        self.assertEqual(front.call("GET", f"{base}/usage")[0], 200)
        self.assertEqual(front.call("DELETE", base)[0], 204)
        until(lambda: not self.sandboxes(), "the end of the sandbox behind")

    def test_the_workspace_of_a_key(self):
        check_workspace(self, self.front)
        for session in self.front.call("GET", "/api/v1/sessions?status=ready")[1]["sessions"]:
            self.front.call("DELETE", f"/api/v1/sessions/{session['id']}")

    def test_a_sandbox_that_vanishes_behind_is_noticed(self):
        session = self.front.session()
        for one in self.sandboxes():
            self.rest.raw("DELETE", f"/api/v1/sessions/{one['id']}")
        until(lambda: self.front.call("GET", f"/api/v1/sessions/{session}")[1]["status"] == "failed", "the failed session")

    def test_what_the_backend_says_of_its_server(self):
        values = {**os.environ, "OPEN_SANDBOX_DOMAIN": self.behind.base, "OPEN_SANDBOX_API_KEY": self.key}
        table = json.loads(atoll("backends", "-o", "json", env=values).out)["backends"]
        [entry] = [one for one in table if one["name"] == "opensandbox"]
        self.assertIn('"available": true', json.dumps(entry))


if __name__ == "__main__":
    unittest.main()
