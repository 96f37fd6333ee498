"""Messages of a Bash context: ready, errors, interrupts, and code of any size."""
import hashlib
import threading

import bash_case


class Messages(bash_case.Case):
    def test_ready_names_language_and_version(self):
        driver = bash_case.tests_support.Driver(self.argv)
        self.addCleanup(driver.close)
        ready = driver.ready()
        self.assertEqual(ready["language"], "bash")
        self.assertRegex(ready["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(driver.run("exit 1").bodies("ready"), [])

    def test_runs_are_counted_and_queue(self):
        driver = self.fresh()
        for code in ("true", "exit 3", "false"):
            driver.send(code)
        ended = [driver.finish().done for _ in range(3)]
        self.assertEqual([(one["execution_count"], one["exit_code"]) for one in ended], [(1, 0), (2, 3), (3, 1)])

    def test_what_it_used_is_told(self):
        driver = self.fresh()
        work = "for ((i = 0; i < 50000; ++i)); do :; done"
        own = driver.run(work).done
        below = driver.run(f"bash -c '{work}'").done
        self.assertGreater(own["cpu_user_us"], 0)
        self.assertGreater(below["cpu_user_us"], own["cpu_user_us"])

    def test_output_goes_straight_to_the_pipes(self):
        outcome = self.run_code("echo out; echo err >&2; ls /nowhere 2>&1 | wc -l")
        self.assertEqual((outcome.stdout, outcome.stderr), ("out\n1\n", "err\n"))

    def test_syntax_errors(self):
        for code, evalue in (("if", "line 2: syntax error: unexpected end of file"),
                             ("echo 'é\"'\n)",
                              "line 2: syntax error near unexpected token `)'\nline 2: `)'"),
                             ("echo \"\\", "line 1: unexpected EOF while looking for matching `\"'")):
            outcome = self.run_code(code, exit_code=2)
            self.assertEqual(outcome.error["ename"], "SyntaxError", outcome)
            self.assertEqual(outcome.error["evalue"], evalue)
            self.assertIn(evalue, outcome.error["traceback"])
        self.expect("echo next", "next\n")

    def test_a_status_of_two_is_no_syntax_error(self):
        self.assertIsNone(self.run_code("(exit 2)", exit_code=2).error)
        self.assertIsNone(self.run_code("shopt -s extglob\n: +(x)\n(exit 2)", exit_code=2).error)

    def test_line_numbers_are_those_of_the_code(self):
        self.assertIn("line 2: no-such-command", self.run_code("true\nno-such-command", exit_code=127).stderr)

    def test_code_of_any_size_and_kind(self):
        text = "\\a \"$`\t\né!" * 9
        for repeat in (1, 600, 12_000):
            digest = hashlib.md5((text * repeat).encode()).hexdigest()
            self.expect(f"x='{text * repeat}'\nprintf %s \"$x\" | md5sum", f"{digest}  -\n")

    def test_bytes_that_are_no_text(self):
        self.assertEqual(self.driver.run(b"printf '\xff\xfe' | wc -c").stdout.strip(), "2")

    def test_nul(self):
        for code in (b"echo a\0b", b"\0", b"# " + b"x" * 100_000 + b"\0\0"):
            outcome = self.run_code(code, exit_code=2)
            self.assertEqual(outcome.error["ename"], "SyntaxError")
        self.expect("echo next", "next\n")

    def test_deep_nesting(self):
        self.assertEqual(self.run_code("(" * 20_000, exit_code=2).error["ename"], "SyntaxError")
        self.expect("echo next", "next\n")

    def test_an_arithmetic_error_ends_its_line_only(self):
        self.expect("echo $((1 / 0)); echo no\necho after", "after\n")


class Interrupt(bash_case.Case):
    def interrupt(self, code, stdout="", before=":"):
        self.driver.send(f"kept=1; {before}; echo go; {code}")
        self.driver.until_output("go")
        self.driver.interrupt()
        # One that comes when Bash is about to start a program reaches Bash alone, which goes on to wait for
        # the program. So hosts repeat it (Context::stop).
        again = threading.Timer(2, self.driver.interrupt)
        again.start()
        outcome = self.driver.finish()
        again.cancel()
        self.assertEqual(outcome.error["ename"], "Interrupted", outcome)
        self.assertEqual(outcome.exit_code, 130, outcome)
        self.assertEqual(outcome.stdout, stdout)
        self.expect("echo $kept; set +e", "1\n")

    def test_loops_and_waits(self):
        for code in ("while :; do :; done", "sleep 1000", "sleep 1000 | cat", "(while :; do :; done)",
                     "x=$(sleep 1000)", "read < <(sleep 1000)", "sleep 1000 & wait", "set -e; sleep 1000",
                     "f() { local kept=2; while :; do sleep 0; done; }; f; echo no"):
            with self.subTest(code):
                self.interrupt(code)

    def test_the_code_may_have_a_trap(self):
        self.interrupt("while :; do :; done", before="trap 'echo mine' INT", stdout="mine\n")
        self.run_code("trap - INT")

    def test_background_jobs_are_spared(self):
        # The shell below must have got as far as to ignore SIGINT, as those in the background do.
        self.run_code("sleep 1000 & job=$!\n"
                      "until [[ $(grep SigIgn /proc/$job/status) =~ [2367abef]$ ]]; do :; done")
        self.interrupt("sleep 1000")
        self.run_code("kill $job")

    def test_of_nothing(self):
        """Signals in the middle of a message are ignored, and no byte is lost."""
        self.driver.send_raw(b"ru")
        for part in (b"n 1", b"1\nec", b"ho whole"):
            self.driver.interrupt()
            self.driver.send_raw(part)
        self.driver.send_raw(b"\n")
        outcome = self.driver.finish()
        self.assertEqual((outcome.stdout, outcome.exit_code), ("whole\n", 0), outcome)


if __name__ == "__main__":
    bash_case.main()
