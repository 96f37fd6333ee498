"""What comes out: streaming, bytes, JSON, --max-output, closed pipes."""
import base64
import json
import os
import subprocess

import support
from support import atoll, run, start

EVERY_BYTE = "import sys; sys.stdout.buffer.write(bytes(range(256)))"


class Text(support.Case):
    def test_bytes_are_exact(self):
        self.assertEqual(run("-c", EVERY_BYTE).raw_out, bytes(range(256)))

    def test_output_comes_as_it_is_made(self):
        process = start("-i", "--", "sh", "-c", "echo first; read line; echo second", stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"first\n")  # while the program waits for us
        self.assertEqual(process.communicate(b"\n", timeout=60)[0], b"second\n")

    def test_much_output_arrives_whole(self):
        outcome = run("--cpus", "2", "--", "head", "-c", "50000000", "/dev/zero")
        self.expect(outcome)
        self.assertEqual(len(outcome.raw_out), 50_000_000)

    def test_max_output_cuts_each_stream(self):
        outcome = run("--max-output", "10", "--", "sh", "-c", "printf 0123456789abc; printf ABC >&2")
        self.expect(outcome, out="0123456789")
        self.assertTrue(outcome.err.startswith("ABC"), outcome)
        self.assertIn("--max-output", outcome.err)
        self.expect(run("-q", "--max-output", "1", "--", "echo", "xyz"), out="x", err="")

    def test_a_reader_that_leaves_ends_the_run(self):
        done = subprocess.run(f"{support.ATOLL} run -- yes | head -1; echo ${{PIPESTATUS[0]}}", shell=True,
                              executable="/bin/bash", capture_output=True, timeout=60)
        self.assertEqual(done.stdout, b"y\n141\n", done)

    def test_a_full_disk_on_stdout_is_reported(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([support.ATOLL, "run", "--", "echo", "x"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr.decode(), "^atoll: resource_exhausted: cannot write to stdout")

    def test_closed_standard_streams_do_no_harm(self):
        done = subprocess.run(f"{support.ATOLL} run -- echo x <&- >&-", shell=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)


class Json(support.Case):
    def test_every_field(self):
        result = self.json("--", "sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual(set(result), {"exit_code", "stdout", "stderr", "duration_ms", "cpu_ms", "max_rss", "oom",
                                       "timed_out", "truncated", "isolation", "error"})
        self.assertEqual((result["exit_code"], result["stdout"], result["stderr"]), (3, "out\n", "err\n"))
        self.assertGreater(result["duration_ms"], 0)
        self.assertGreater(result["max_rss"], 100_000)
        self.assertGreaterEqual(result["cpu_ms"], 0)
        self.assertEqual((result["oom"], result["timed_out"], result["truncated"], result["error"]),
                         (False, False, False, None))
        self.assertIn("seccomp", result["isolation"]["layers"])
        if support.IS_ROOT:
            self.assertEqual(result["isolation"]["missing"], [])

    def test_one_line_when_it_is_no_terminal(self):
        self.assertEqual(run("-o", "json", "--", "true").out.count("\n"), 1)

    def test_bytes_that_are_not_text(self):
        result = self.json("-c", EVERY_BYTE)
        self.assertEqual(base64.b64decode(result["stdout_b64"]), bytes(range(256)))
        self.assertEqual(result["stdout"], bytes(range(256)).decode("utf-8", "replace"))
        self.assertNotIn("stderr_b64", result)

    def test_nul_and_control_characters(self):
        self.assertEqual(self.json("-c", "print('\\0\\x1b\"\\\\')")["stdout"], "\0\x1b\"\\\n")

    def test_truncated(self):
        result = self.json("--max-output", "1k", "--", "head", "-c", "100000", "/dev/zero")
        self.assertTrue(result["truncated"])
        self.assertEqual(len(result["stdout"]), 1024)
        result = self.json("--cpus", "2", "--", "head", "-c", "20000000", "/dev/zero")
        self.assertEqual((result["truncated"], len(result["stdout"])), (True, 10 << 20))

    def test_failures_are_objects_too(self):
        outcome = run("-o", "json", "-l", "cobol", "-c", "x")
        self.expect_failure(outcome, "unsupported_language")
        result = json.loads(outcome.out)
        self.assertEqual(result["error"]["code"], "unsupported_language")
        self.assertIn("python", result["error"]["message"])
        self.assertEqual(result["exit_code"], 125)
        result = self.json("--", "no-such-program")
        self.assertEqual((result["error"]["code"], result["exit_code"]), ("program_not_found", 127))


class Colours(support.Case):
    def test_never_in_a_pipe(self):
        for words in (["doctor"], ["run", "--bad"], ["--help"], ["run", "--help"], ["backends"]):
            outcome = atoll(*words, env={"TERM": "xterm"})
            self.assertNotIn("\x1b", outcome.out + outcome.err, words)

    def test_when_asked(self):
        self.assertIn("\x1b[", atoll("doctor", "--color", "always").out)
        self.assertIn("\x1b[", run("--color", "always", "-l", "cobol", "-c", "").err)


if __name__ == "__main__":
    support.main()
