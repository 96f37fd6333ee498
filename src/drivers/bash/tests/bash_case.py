"""How the tests start a Bash context."""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER.parent))

import tests_support  # noqa: E402

ARGV = ["/bin/bash", "--norc", "--noprofile", "-c", (FOLDER / "driver.sh").read_text(), "bash"]
main = tests_support.unittest.main


class Case(tests_support.Case):
    argv = ARGV

    def expect(self, code, stdout, exit_code=0):
        outcome = self.run_code(code, exit_code)
        self.assertEqual(outcome.stdout, stdout, outcome)
        return outcome
