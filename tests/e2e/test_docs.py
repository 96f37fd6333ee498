#!/usr/bin/env python3
"""Runs every command of the documents that promise it, and makes their pictures.

usage: test_docs.py [--regenerate] [unittest arguments]

A block marked `sh` is run by bash in a folder of its own, all blocks of a page in one; a block marked
`text` behind it is what it prints. --regenerate writes the picture of docs/languages.md anew.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import support
from server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = ROOT / "docs/img/languages-chart.png"
REGENERATE = "--regenerate" in sys.argv


def blocks(page):
    """(commands, what they print or None), in order."""
    found = []
    for kind, text in BLOCK.findall(page):
        if kind == "sh":
            found.append([text, None])
        elif found:
            found[-1][1] = text
    return found


def size_of(png):
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n", head
    return struct.unpack(">II", head[16:24])


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="atoll-docs-")
        self.addCleanup(shutil.rmtree, self.folder)

    def run_page(self, name, chapter=None, **variables):
        env = dict(os.environ, PATH=f"{pathlib.Path(support.ATOLL).parent}:{os.environ['PATH']}", NO_COLOR="1",
                   **variables)
        page = (ROOT / "docs" / name).read_text()
        if chapter:
            page = re.search(rf"^## {chapter}$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
        pairs = blocks(page)
        self.assertGreater(len(pairs), 3)
        for commands, printed in pairs:
            with self.subTest(commands=commands):
                run = subprocess.run(["bash", "-c", commands], cwd=self.folder, env=env, text=True, timeout=120,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if printed is None:
                    self.assertEqual(run.returncode, 0, run.stdout)
                else:
                    self.assertEqual(run.stdout, printed)

    @unittest.skipUnless(os.geteuid() == 0, "zygotes and limits need root")
    def test_languages(self):
        self.run_page("languages.md")
        made = pathlib.Path(self.folder) / "shown/cell-1-1.png"
        if REGENERATE:
            shutil.copy(made, PICTURE)
        self.assertEqual(size_of(made), size_of(PICTURE))
        chart = json.loads(made.with_suffix(".chart.json").read_text())
        self.assertEqual([part["type"] for part in chart["elements"]], ["bar", "line"])

    @unittest.skipUnless(os.geteuid() == 0, "zygotes and limits need root")
    # covers: atoll serve, atoll key
    def test_api(self):
        with self.server_and_key("admin") as (server, key):  # as ./dev up makes it
            self.run_page("api.md", API=server.base + "/api/v1", KEY=key)

    @unittest.skipUnless(os.geteuid() == 0, "zygotes and limits need root")
    def test_rest(self):
        with self.server_and_key("admin") as (server, key):
            self.run_page("quickstart/rest.md", API=server.base + "/api/v1", KEY=key)

    @unittest.skipUnless(os.geteuid() == 0, "zygotes and limits need root")
    def test_client(self):
        with self.server_and_key("admin") as (server, key):
            self.run_page("client.md", ATOLL_SERVER=server.base, ATOLL_KEY=key)

    # covers: atoll policy
    def test_policy(self):
        self.run_page("policy.md")

    @unittest.skipUnless(os.geteuid() == 0, "zygotes and limits need root")
    # covers: atoll serve, atoll key
    def test_running_the_server(self):
        os.chmod(self.folder, 0o755)
        self.addCleanup(self.end_server)
        self.run_page("operations.md", "Running the server", DATA=self.folder + "/data", LISTEN="127.0.0.1:0")

    def end_server(self):
        """That of a page, where it is left."""
        pid = pathlib.Path(self.folder) / "pid"
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(pid.read_text()), signal.SIGTERM)

    @contextlib.contextmanager
    def server_and_key(self, role, *options):
        os.chmod(self.folder, 0o755)
        with Server(self.folder + "/data", *options) as server:
            made = support.atoll("key", "create", "--data", server.data, "--role", role)
            self.assertEqual(made.code, 0, made)
            yield server, made.out.strip()


if __name__ == "__main__":
    unittest.main(argv=[arg for arg in sys.argv if arg != "--regenerate"])
