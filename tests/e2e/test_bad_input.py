"""Nonsense on the command line: a sentence, a stable code, 125, and nothing left behind."""
import support
from support import atoll, run


class BadInput(support.Case):
    def test_unknown_options_and_commands_get_a_suggestion(self):
        self.assertIn("did you mean --memory?", self.expect_failure(run("--memry", "1g", "--", "true"), "invalid_argument").err)
        self.assertIn("did you mean run?", self.expect_failure(atoll("rnu"), "invalid_argument").err)
        self.assertIn("did you mean doctor?", self.expect_failure(atoll("help", "docter"), "invalid_argument").err)
        self.expect_failure(run("-Z", "--", "true"), "invalid_argument")
        self.expect_failure(atoll("--frobnicate"), "invalid_argument")

    def test_missing_values(self):
        for option in ("--memory", "-c", "-l", "-e", "--mount", "-o"):
            self.assertIn("needs a value", self.expect_failure(run(option), "invalid_argument").err)
            self.assertIn("needs a value", self.expect_failure(run(option, "--", "true"), "invalid_argument").err)
        self.expect_failure(run("--quiet=yes", "--", "true"), "invalid_argument")

    def test_nothing_to_run(self):
        for words in ([], ["--"], ["-q"], [""], ["--", ""]):
            self.expect_failure(run(*words), "invalid_argument")

    def test_no_command_shows_the_manual(self):
        outcome = atoll()
        self.assertEqual(outcome.code, 125)
        self.assertIn("Commands", outcome.err)

    def test_unknown_language_lists_the_known(self):
        for words in (["-l", "cobol", "-c", "x"], ["-l", "cobol", "-"], ["-l", "", "-c", "x", "-l", "x"], ["-l", "COBOL", "f"]):
            outcome = self.expect_failure(run(*words), "unsupported_language")
            for name in ("python", "javascript", "bash"):
                self.assertIn(name, outcome.err)

    def test_too_much_code(self):
        self.expect_failure(run("-", stdin=b"#" * (100 << 20)), "too_large")
        big = self.folder / "big.py"
        with open(big, "wb") as file:
            file.truncate(100 << 20)
        self.expect_failure(run(big), "too_large")

    def test_scripts_that_cannot_be_read(self):
        self.expect_failure(run("no-such.py"), "not_found")
        folder = self.folder / "folder.py"
        folder.mkdir()
        self.expect_failure(run(folder), "invalid_argument")

    def test_code_with_nul_bytes(self):
        outcome = run("-", stdin=b"print(1)\0")
        self.assertIn(outcome.code, (0, 1), outcome)  # what Python makes of it; it arrives

    def test_odd_values(self):
        self.expect_failure(run("-o", "yaml", "--", "true"), "invalid_argument")
        self.expect_failure(run("--color", "blue", "--", "true"), "invalid_argument")
        self.expect_failure(run("--hostname", "a b", "--", "true"), "invalid_argument")
        self.expect_failure(run("--hostname", "x" * 64, "--", "true"), "invalid_argument")
        self.expect_failure(run("--hostname", "", "--", "true"), "invalid_argument")
        self.expect_failure(run("-i", "-", stdin="print(1)"), "invalid_argument")
        self.expect_failure(atoll("completion", "csh"), "invalid_argument")
        self.expect_failure(atoll("completion"), "invalid_argument")
        self.expect_failure(atoll("doctor", "now"), "invalid_argument")

    def test_unknown_backend_lists_the_known(self):
        self.assertIn("native", self.expect_failure(run("--backend", "magic", "--", "true"), "unsupported_backend").err)

    def test_very_long_arguments(self):
        self.expect(run("--", "sh", "-c", "echo ${#1}", "sh", "x" * 100_000), out="100000\n")
        outcome = run("--", "true", *["y" * 100_000] * 15)
        self.assertIn(outcome.code, (0, 125), outcome)
        if outcome.code == 125:
            self.expect_failure(outcome, "too_large")

    def test_json_errors_name_the_code(self):
        outcome = run("-o", "json", "--memory", "0", "--", "true")
        self.expect_failure(outcome, "invalid_argument")
        self.assertIn('"code":"invalid_argument"', outcome.out)

    def test_verbose_and_quiet_are_understood(self):
        self.expect(run("-q", "--", "true"), err="")
        self.assertIn("atoll:", run("-v", "--", "true").err)


if __name__ == "__main__":
    support.main()
