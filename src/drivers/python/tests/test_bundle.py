"""The one script that is made of the modules."""

import subprocess
import sys
import tempfile
import unittest

from support import HERE, PYTHON, SCRIPT, bundle_driver, environment


class Bundle(unittest.TestCase):
    def test_it_fits_into_one_argument(self):
        self.assertLess(len(SCRIPT.encode()), bundle_driver.MAX_BYTES)

    def test_comments_and_docstrings_are_left_out(self):
        self.assertNotIn("docs/context-protocol.md", SCRIPT)
        text = (
            'def f():\n    """Says it."""\n\n\nclass A:\n    """Alone."""\n    x = "# kept"  # gone\n    #'
            " gone too\n"
        )
        self.assertEqual(
            bundle_driver.without_comments(text), 'def f():\n    pass\n\n\nclass A:\n\n    x = "# kept"\n\n'
        )

    def test_lines_keep_their_numbers(self):
        for path in bundle_driver.PACKAGE.glob("*.py"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(
                len(bundle_driver.without_comments(text).splitlines()), len(text.splitlines()), path
            )

    def test_the_tool_writes_it(self):
        with tempfile.NamedTemporaryFile() as file:
            subprocess.run([sys.executable, str(HERE.parent / "bundle_driver.py"), file.name], check=True)
            self.assertEqual(file.read().decode(), SCRIPT)

    def test_a_wrong_mode(self):
        done = subprocess.run(
            [PYTHON, "-c", SCRIPT, "nonsense"], capture_output=True, text=True, env=environment()
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("usage", done.stderr)

    def test_a_plain_start_loads_little(self):
        """What a context imports before it is ready; each module more is paid for at every start."""
        before = subprocess.run(
            [PYTHON, "-c", "import sys; print(*sys.modules)"],
            capture_output=True,
            text=True,
            env=environment(),
            check=True,
        ).stdout.split()
        code = SCRIPT.replace(
            "with _atoll.main.Program():", "import _atoll.context\nprint(*sys.modules)\nsys.exit()\nwith 0:"
        )
        after = subprocess.run(
            [PYTHON, "-c", code, "context"], capture_output=True, text=True, env=environment(), check=True
        ).stdout.split()
        new = {name for name in set(after) - set(before) if not name.startswith("_atoll")}
        self.assertLessEqual(new, {"_ast", "errno", "fcntl", "select", "_collections", "time"})


if __name__ == "__main__":
    unittest.main()
