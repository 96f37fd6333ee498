#!/usr/bin/env python3
"""Runs every command of docs/quickstart/e2b.md, with the SDKs that install.py has installed."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from dialect_case import PINNED, Case, install, installed
from support import BIN

PAGE = HERE.parents[2] / "docs" / "quickstart" / "e2b.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Quickstart(Case):
    def test_every_command(self):
        javascript = installed("npm", PINNED["npm"]["e2b"][-1])
        python = installed("pypi", list(PINNED["pypi"])[-1])
        os.symlink(javascript / "node_modules", self.folder / "node_modules")
        self.addCleanup(self.stop_server)
        node = os.path.dirname(install.node())
        path = ":".join(filter(None, [str(BIN), str(python / "bin"), node, os.environ["PATH"]]))
        blocks = BLOCK.findall(PAGE.read_text())
        self.assertGreater(len(blocks), 8)
        output = ""
        for kind, text in blocks:
            if kind == "text":
                self.assertEqual(output, text)
                continue
            done = subprocess.run(["bash", "-c", text], cwd=self.folder, env={**os.environ, "PATH": path}, text=True,
                                  timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}{done.stderr}")
            output = done.stdout

    def stop_server(self):
        """Where a block failed before the last one."""
        pid = self.folder / "pid"
        if pid.exists():
            subprocess.run(["kill", "-9", pid.read_text().strip()], stderr=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    unittest.main()
