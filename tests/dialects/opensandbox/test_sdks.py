"""The official SDKs of OpenSandbox, unmodified, on a server of ours: every call they have."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "e2e")]
import prepare  # noqa: E402
from server import Server  # noqa: E402
from support import atoll  # noqa: E402

DEADLINE = 240


class Sdks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        prepare.install()
        cls.modules = prepare.environment()
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="atoll-opensandbox-"))
        os.chmod(folder, 0o755)
        cls.server = cls.enterClassContext(Server(folder + "/data"))
        cls.key = atoll("key", "create", "--data", cls.server.data, "--role", "admin").out.strip()

    def run_driver(self, *command):
        done = subprocess.run([*command], capture_output=True, text=True, timeout=DEADLINE, check=False,
                              env={**os.environ, "OPENSANDBOX_DISABLE_METRICS": "", "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-6000:])
        return done.stdout

    def python(self, part):
        return self.run_driver(self.modules / "bin/python", HERE / "drive_python.py", self.server.base, self.key, part)

    def javascript(self, part):
        return self.run_driver(prepare.node(), HERE / "drive_javascript.mjs", self.modules, self.server.base, self.key, part)

    def tearDown(self):
        alive = self.server.call("GET", "/api/v1/sessions?status=ready,running,paused,creating", None,
                                 {"X-API-Key": self.key})[1]["sessions"]
        for session in alive:  # of a test that failed
            self.server.call("DELETE", f"/api/v1/sessions/{session['id']}", None, {"X-API-Key": self.key})

    def test_python_lifecycle(self):
        self.python("lifecycle")

    def test_python_manager(self):
        self.python("manager")

    def test_python_commands(self):
        self.python("commands")

    def test_python_files(self):
        self.python("files")

    def test_python_code(self):
        self.python("code")

    def test_python_others(self):
        self.python("others")

    def test_python_pool(self):
        self.python("pool")

    def test_python_asynchronous(self):
        self.python("asynchronous")

    def test_python_proxied(self):
        self.python("proxied")

    def test_javascript_lifecycle(self):
        self.javascript("lifecycle")

    def test_javascript_commands(self):
        self.javascript("commands")

    def test_javascript_files(self):
        self.javascript("files")

    def test_javascript_others(self):
        self.javascript("others")

    def test_a_command_is_timed(self):
        # Figures for people: nothing here depends on them.
        for figures in (self.python("measure"), self.javascript("measure")):
            self.assertIn("run_p50_ms", json.loads(figures))


if __name__ == "__main__":
    unittest.main()
