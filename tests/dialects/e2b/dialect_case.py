"""What the tests of E2B's SDKs share: a server with keys, the installed SDKs, and how a driver is run."""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "e2e")]

import install  # noqa: E402
import server as servers  # noqa: E402
from support import ATOLL, Case  # noqa: E402

PINNED = json.loads((HERE / "versions.json").read_text())
PATIENCE = 600


def installed(kind, version):
    """The folder of one SDK; ./dev test installs what versions.json names (tests/dialects/e2b/install.py)."""
    folder = install.CACHE / kind / version
    if not (folder / "complete").exists():
        raise AssertionError(f"{kind} {version} is not installed: python3 {HERE}/install.py")
    return folder


def make_key(data, *options):
    done = subprocess.run([ATOLL, "key", "create", "--data", data, "--e2b", *options], capture_output=True,
                          text=True, timeout=60, check=True)
    return done.stdout.strip()


class Server(servers.Server):
    """With keys: its owner's, and those of make_key()."""

    def __init__(self, data, *options):
        self.key = make_key(data, "--role", "owner")
        super().__init__(data, *options)

    def call(self, method, path, body=None, headers=None):
        return super().call(method, path, body, {"authorization": f"Bearer {self.key}", **(headers or {})})

    def environment(self):
        """Where an SDK finds it."""
        return {**os.environ, "E2B_API_URL": self.base, "E2B_SANDBOX_URL": self.base, "E2B_API_KEY": self.key,
                "NODE_NO_WARNINGS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def drive(command, environment, run):
    """The results of a driver: {call: (state, why)}."""
    done = subprocess.run(command, env={**environment, "RUN": run}, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    results = {}
    for line in done.stdout.splitlines():
        if line.startswith('{"call"'):
            one = json.loads(line)
            results[one["call"]] = (one["state"], one.get("why"))
    if not results:
        raise AssertionError(f"the driver said nothing: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return results


def drive_js(server, version, interpreter=False):
    folder = installed("npm-interpreter" if interpreter else "npm", version)
    words = [install.node(), str(HERE / "calls.js"), str(folder)] + (["interpreter"] if interpreter else [])
    return drive(words, server.environment(), f"js-{version}-{int(interpreter)}")


def drive_python(server, version, interpreter=False):
    folder = installed("pypi", version)
    words = [str(folder / "bin" / "python"), "-B", str(HERE / "calls.py")] + (["interpreter"] if interpreter else [])
    return drive(words, server.environment(), f"py-{version}-{int(interpreter)}")


def expect_all(case, results, refused=()):
    """Every call works, but for those that this server refuses."""
    failed = {name: why for name, (state, why) in results.items() if state == "fails"}
    case.assertEqual(failed, {})
    for name in refused:
        case.assertEqual(results[name][0], "refused", name)
