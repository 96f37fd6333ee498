"""The corpus runner itself: a difference of any kind is found, and only a difference is."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).resolve().parent / "run_corpus.py"
STUB = """#!/usr/bin/env python3
# Stands in for atoll: runs the script that it is given, and then says one word more where it is asked to.
import subprocess, sys
scripts = [word for word in sys.argv if word.endswith(".bash")]
code = max((subprocess.run(["bash", script]).returncode for script in scripts), default=0)
if "--spoil" in sys.argv:
    print("spoilt", flush=True)
sys.exit(code)
"""


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="atoll-corpus-test-")
        self.addCleanup(folder.cleanup)
        self.corpus = pathlib.Path(folder.name)
        self.corpus.chmod(0o755)
        (self.corpus / "bash").mkdir()
        self.put("greet.bash", 'echo "hello from $PWD"; echo "oops" >&2; exit 3\n')
        for suffix, text in ((".out", "hello from /workspace\n"), (".err", "oops\n"), (".code", "3\n")):
            self.put("greet" + suffix, text)
        stub = self.corpus / "atoll"
        stub.write_text(STUB)
        stub.chmod(0o755)

    def put(self, name, text):
        (self.corpus / "bash" / name).write_text(text)

    def run_corpus(self, *words):
        environment = {**os.environ, "ATOLL_BIN": str(self.corpus)}
        done = subprocess.run([sys.executable, "-B", RUNNER, "--corpus", self.corpus, *words, "bash"],
                              capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode in (0, 1), True, done)
        return done

    def expect_failure(self, reason, *words):
        done = self.run_corpus(*(words or ("--strategy=bare",)))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(reason, done.stdout + done.stderr)

    def test_accepts_what_is_expected(self):
        done = self.run_corpus("--strategy=bare")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("bare: 1 of 1 programs as expected", done.stdout)

    def test_finds_wrong_stdout(self):
        self.put("greet.out", "hello from /workspace")
        self.expect_failure("different from byte 21 on")

    def test_finds_wrong_stderr(self):
        self.put("greet.err", "")
        self.expect_failure("stderr: 5 bytes instead of 0")

    def test_finds_a_wrong_status(self):
        (self.corpus / "bash/greet.code").unlink()
        self.expect_failure("exit status 3 instead of 0")

    def test_finds_a_wrong_digest(self):
        (self.corpus / "bash/greet.out").rename(self.corpus / "bash/greet.out.sha256")
        self.expect_failure("whose digest is not the expected one")

    def test_a_program_needs_an_expectation(self):
        (self.corpus / "bash/greet.out").unlink()
        self.expect_failure("greet.out is missing")

    def test_too_few_programs_are_a_failure(self):
        self.expect_failure("1 programs found, at least 2 wanted", "--strategy=bare", "--at-least=2")

    def test_a_signal_counts_as_in_a_shell(self):
        self.put("greet.bash", 'echo "hello from $PWD"; echo "oops" >&2; kill -TERM $$\n')
        self.put("greet.code", "143\n")
        self.assertEqual(self.run_corpus("--strategy=bare").returncode, 0)

    def test_input_and_arguments_arrive(self):
        self.put("greet.bash", 'cat; printf "<%s>" "$@"; echo oops >&2; exit 3\n')
        self.put("greet.in", "given\n")
        self.put("greet.args", "a b\n\n$c\n")
        self.put("greet.out", "given\n<a b><><$c>")
        self.assertEqual(self.run_corpus("--strategy=bare").returncode, 0)

    def test_the_sandboxed_run_is_compared_too(self):
        self.put("greet.bash", "echo hello; echo oops >&2; exit 3\n")
        self.put("greet.out", "hello\n")
        self.assertEqual(self.run_corpus().returncode, 0)
        self.expect_failure("FAILED run bash/greet", "--run-option=--spoil")

    def test_regenerating_takes_what_the_program_does(self):
        self.put("greet.out", "wrong\n")
        self.put("greet.code", "9\n")
        self.put("many.bash", "seq 100000\n")
        self.assertEqual(self.run_corpus("--regenerate").returncode, 0)
        self.assertEqual((self.corpus / "bash/greet.out").read_text(), "hello from /workspace\n")
        self.assertEqual((self.corpus / "bash/greet.code").read_text(), "3\n")
        self.assertFalse((self.corpus / "bash/many.out").exists())
        self.assertFalse((self.corpus / "bash/many.err").exists())
        self.assertEqual(self.run_corpus("--strategy=bare").returncode, 0)


if __name__ == "__main__":
    unittest.main()
