"""How the tests start a JavaScript context."""
import pathlib
import shutil
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER.parent))

import tests_support  # noqa: E402

NODE = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin")
ARGV = [NODE, "--expose-internals", "-e", tests_support.bundle(FOLDER / "bundle_driver.py")]
main = tests_support.unittest.main


class Case(tests_support.Case):
    argv = ARGV

    def expect(self, code, text):
        """The code's result as text, None for no result."""
        outcome = self.run_code(code)
        self.assertIsNone(outcome.error, outcome)
        self.assertEqual(outcome.text, text, outcome)
        return outcome

    def expect_error(self, code, ename, evalue=None):
        outcome = self.run_code(code, exit_code=1)
        self.assertEqual(outcome.error["ename"], ename, outcome)
        if evalue is not None:
            self.assertEqual(outcome.error["evalue"], evalue, outcome)
        return outcome
