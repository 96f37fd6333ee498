#!/usr/bin/env python3
"""The newest unmodified SDKs of E2B drive every call that they have against `atoll serve`."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import compatibility
from dialect_case import PINNED, Case, Server, drive_js, drive_python, expect_all


class Sdks(Case):
    def setUp(self):
        super().setUp()
        self.server = Server(str(self.folder / "data"))
        self.addCleanup(self.server.stop)

    def test_javascript(self):
        results = drive_js(self.server, PINNED["npm"]["e2b"][-1])
        expect_all(self, results, refused=["sandbox.fork", "Template.build", "Volume.create"])
        self.assertGreater(len(results), 40)

    def test_javascript_interpreter(self):
        results = drive_js(self.server, list(PINNED["npm-interpreter"])[-1], interpreter=True)
        expect_all(self, results)
        self.assertGreater(len(results), 10)

    def test_python(self):
        results = drive_python(self.server, list(PINNED["pypi"])[-1])
        expect_all(self, results, refused=["sandbox.fork"])
        self.assertGreater(len(results), 20)

    def test_python_interpreter(self):
        expect_all(self, drive_python(self.server, list(PINNED["pypi"])[-1], interpreter=True))


class Page(Case):
    def test_the_page_names_the_clients_that_are_driven(self):
        self.assertIn(compatibility.pinned(), compatibility.PAGE.read_text(), "run ./dev test-compat and commit it")


if __name__ == "__main__":
    unittest.main()
