"""atoll run as an ordinary user: works, and says what it lost."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import support

NOBODY = 65534


@unittest.skipUnless(support.IS_ROOT, "switches to another user, which only root can")
class OrdinaryUser(support.Case):
    """What the tests of an ordinary user share: programs where that user can reach them."""

    @classmethod
    def setUpClass(cls):
        # The build folder may lie where nobody can reach it.
        cls.place = tempfile.TemporaryDirectory(prefix="atoll-rootless-")
        os.chmod(cls.place.name, 0o755)
        for name in ("atoll", "atoll-launcher", "atoll-mounts", "atoll-guest"):
            shutil.copy(support.BIN / name, cls.place.name)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def atoll(self, *words, stdin=b""):
        done = subprocess.run([f"{self.place.name}/atoll", *map(str, words)], input=stdin, capture_output=True, timeout=60,
                              user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", env={"PATH": "/usr/bin:/bin", "HOME": "/"})
        return support.Outcome(done)


class Rootless(OrdinaryUser):
    def test_runs(self):
        outcome = self.expect(self.atoll("run", "--", "echo", "hello"), out="hello\n")
        self.assertEqual(outcome.err.count("atoll: warning: "), 1, outcome)
        self.expect(self.atoll("run", "-q", "-c", "print(1)"), out="1\n", err="")
        self.expect(self.atoll("run", "-q", "--", "sh", "-c", "exit 9"), code=9)

    def test_a_writable_root(self):
        script = "mkdir /data && echo x > /etc/y && cat /etc/y; echo me >> /etc/hosts; tail -n 1 /etc/hosts; touch /usr/x"
        self.expect(self.atoll("run", "-q", "--writable-root", "--", "sh", "-c", script), code=1, out="x\nme\n")
        self.expect(self.atoll("run", "-q", "--writable-root", "--disk", "8m", "--memory", "64m", "--", "sh", "-c",
                               "head -c 20m /dev/zero > /x || stat -c %s /x | awk '{print ($1 <= 8388608)}'"), out="1\n")

    def test_says_what_is_missing(self):
        result = json.loads(self.atoll("run", "-q", "-o", "json", "--", "true").out)
        self.assertIn("own_uids", result["isolation"]["missing"])
        self.assertIn("seccomp", result["isolation"]["layers"])

    def test_limits_that_cannot_be_enforced_are_refused(self):
        missing = json.loads(self.atoll("run", "-q", "-o", "json", "--", "true").out)["isolation"]["missing"]
        for option, value, layer in (("--pids", "50", "pids_limit"), ("--cpus", "0.5", "cpu_limit")):
            outcome = self.atoll("run", "-q", option, value, "--", "true")
            if layer in missing:
                self.expect_failure(outcome, "limit_unenforceable")
                self.assertIn("hint:", outcome.err)
            else:
                self.expect(outcome)

    def test_memory_holds_in_some_way(self):
        outcome = self.atoll("run", "-q", "--memory", "64m", "-c", "x = bytearray(200 << 20); print('got it')")
        self.assertNotIn("got it", outcome.out)
        self.assertNotEqual(outcome.code, 0)

    def test_doctor(self):
        outcome = self.expect(self.atoll("doctor"))
        self.assertIn("without root", outcome.out)

    def test_mounts_need_the_rights_of_the_caller(self):
        secret = pathlib.Path(self.folder, "secret")
        secret.mkdir(mode=0o700)
        self.expect_failure(self.atoll("run", "--mount", f"{secret}:/data", "--", "true"), "forbidden")
        self.expect_failure(self.atoll("run", "--mount", f"{self.folder}:/data:rw", "--", "true"), "forbidden")
        readable = self.file("readable", "x")
        self.expect(self.atoll("run", "-q", "--mount", f"{readable}:/data", "--", "cat", "/data"), out="x")

    def test_scripts_need_the_rights_of_the_caller(self):
        self.expect_failure(self.atoll("run", self.file("secret.py", "print(1)", mode=0o600)), "forbidden")


if __name__ == "__main__":
    support.main()
