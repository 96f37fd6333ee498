"""Runs every command of docs/quickstart/opensandbox.md, with the SDKs that it installs."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "e2e")]
import prepare  # noqa: E402
from server import Server  # noqa: E402
from support import atoll  # noqa: E402

PAGE = HERE.parents[2] / "docs/quickstart/opensandbox.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Quickstart(unittest.TestCase):
    def test_the_page(self):
        prepare.install()
        with tempfile.TemporaryDirectory(prefix="atoll-opensandbox-") as folder:
            os.chmod(folder, 0o755)
            os.symlink(prepare.environment() / "node_modules", folder + "/node_modules")
            with Server(folder + "/data") as server:
                key = atoll("key", "create", "--data", server.data, "--role", "admin").out.strip()
                node = os.path.dirname(prepare.node())
                path = f"{prepare.environment()}/bin:{node + ':' if node else ''}{os.environ['PATH']}"
                env = {**os.environ, "PATH": path, "OPEN_SANDBOX_DOMAIN": server.base.removeprefix("http://"),
                       "OPEN_SANDBOX_API_KEY": key, "OPENSANDBOX_DISABLE_METRICS": "1"}
                blocks = BLOCK.findall(PAGE.read_text())
                self.assertEqual(len(blocks), 4)
                for commands, printed in blocks:
                    with self.subTest(commands=commands):
                        ran = subprocess.run(["bash", "-c", commands], cwd=folder, env=env, text=True, timeout=120,
                                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
                        self.assertEqual(ran.stdout, printed, ran.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
