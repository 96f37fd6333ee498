"""What the end-to-end tests share: how the built programs are started, and where they are."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["ATOLL_BIN"])  # the folder with atoll, atoll-launcher, atoll-guest
ATOLL = str(BIN / "atoll")
IS_ROOT = os.geteuid() == 0


class Outcome:
    """Exit status and output of one call; bytes in `raw_*`, text in `out` and `err`."""

    def __init__(self, done):
        self.code = done.returncode
        self.raw_out, self.raw_err = done.stdout, done.stderr
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out[:2000]}\nstderr: {self.err[:2000]}"


def atoll(*words, stdin=b"", timeout=60, env=None, cwd=None, **more):
    if isinstance(stdin, str):
        stdin = stdin.encode()
    environment = dict(os.environ)
    environment.pop("NO_COLOR", None)
    environment.update(env or {})
    done = subprocess.run([ATOLL, *map(str, words)], input=stdin, capture_output=True, timeout=timeout,
                          env=environment, cwd=cwd, **more)
    return Outcome(done)


def run(*words, **more):
    return atoll("run", *words, **more)


def start(*words, **more):
    """A run that goes on while the test looks at it."""
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([ATOLL, "run", *map(str, words)], **more)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="atoll-e2e-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.folder.chmod(0o755)

    def file(self, name, content, mode=0o644):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    def expect(self, outcome, code=0, out=None, err=None):
        self.assertEqual(outcome.code, code, outcome)
        if out is not None:
            self.assertEqual(outcome.out, out, outcome)
        if err is not None:
            self.assertEqual(outcome.err, err, outcome)
        return outcome

    def expect_failure(self, outcome, error_code, exit_code=125):
        """Atoll's own failure: its status, and one sentence with the code."""
        self.assertEqual(outcome.code, exit_code, outcome)
        self.assertRegex(outcome.err, rf"^atoll: {error_code}: \S", outcome)
        return outcome

    def json(self, *words, **more):
        outcome = run("-o", "json", *words, **more)
        try:
            return json.loads(outcome.out)
        except ValueError:
            self.fail(f"not JSON: {outcome}")


main = unittest.main
