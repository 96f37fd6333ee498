"""atoll run with a network: an atoll-egress for each run, as root and as an ordinary user."""
import json
import os
import shutil
import tempfile
import unittest

import support
from network_case import GOOD, NetworkCase, egress_processes
from server import until

NOBODY = 65534


class Run(NetworkCase):
    def setUp(self):
        super().setUp()
        self.serve_web()

    def atoll(self, *words, **more):
        return self.run_inside(*words, **more)

    def test_allowed_names(self):
        fetched = self.atoll("-q", "--allow-net", "good.test:80", "--", "curl", "-sS", "http://good.test/")
        self.expect(fetched, out="GET / HTTP/1.1 host=good.test upgrade=None")
        self.expect(self.atoll("-q", "--net", "--", "curl", "-sS", f"http://{GOOD}/"))

    def test_without_it_there_is_none(self):
        outcome = self.atoll("-q", "--", "curl", "-sS", "-m", "20", f"http://{GOOD}/")
        self.assertEqual(outcome.code, 7, outcome)

    def test_refusals_are_warnings(self):
        words = ("--", "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://other.test/")
        outcome = self.atoll("--allow-net", "good.test", *words)
        self.expect(outcome, out="403")
        self.assertIn("the network policy refused other.test", outcome.err)
        self.assertIn("name_denied", outcome.err)
        self.assertNotIn("refused", self.atoll("-q", "--allow-net", "good.test", *words).err)
        denied = self.atoll("-q", "--net", "--deny-net", "other.test", *words)
        self.expect(denied, out="403")

    def test_nothing_is_left(self):
        self.expect(self.atoll("-q", "--allow-net", "good.test", "--", "true"))
        until(lambda: not egress_processes(), "its atoll-egress has ended")

    def test_wrong_rules(self):
        for words in (("--allow-net", "a..b"), ("--allow-net", "good.test:99999"), ("--allow-net", "10.0.0.1/8"),
                      ("--net", "--allow-net", "good.test"), ("--secret", "A=plain"), ("--secret-host", "A=good.test"),
                      ("--allow-net", "")):
            with self.subTest(words):
                self.expect_failure(self.atoll(*words, "--", "true"), "invalid_argument")

    def test_json_says_so(self):
        result = json.loads(self.atoll("-q", "-o", "json", "--net", "--", "true").out)
        self.assertIn("egress_filtered", result["isolation"]["layers"])


class Rootless(Run):
    """The same as an ordinary user."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = tempfile.TemporaryDirectory(prefix="atoll-rootless-")
        os.chmod(cls.place.name, 0o755)
        for name in ("atoll", "atoll-backends", "atoll-launcher", "atoll-mounts", "atoll-net", "atoll-guest", "atoll-egress"):
            shutil.copy(support.BIN / name, cls.place.name)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()
        super().tearDownClass()

    def atoll(self, *words, **more):
        return self.run_inside(*words, program=f"{self.place.name}/atoll", user=NOBODY, **more)


if __name__ == "__main__":
    unittest.main()
