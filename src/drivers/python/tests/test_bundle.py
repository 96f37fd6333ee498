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
            subprocess.run(
                [sys.executable, "-B", str(HERE.parent / "bundle_driver.py"), file.name], check=True
            )
            written = file.read().decode()
        self.assertEqual(written.partition("compiled = ")[0], SCRIPT.partition("compiled = ")[0])
        compile(written, "driver", "exec")

    def test_a_wrong_mode(self):
        done = subprocess.run(
            [PYTHON, "-c", SCRIPT, "nonsense"], capture_output=True, text=True, env=environment()
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("usage", done.stderr)

    def started(self, script, shown):
        """What `shown` is worth when a context's modules are loaded."""
        script = script.replace(
            "with _atoll.main.Program():", f"import _atoll.context\nprint({shown})\nsys.exit()\nwith 0:"
        )
        done = subprocess.run(
            [PYTHON, "-c", script], capture_output=True, text=True, env=environment(), check=True
        )
        return done.stdout.split()

    def test_a_plain_start_loads_little(self):
        """Each module more is paid for at every start."""
        done = subprocess.run(
            [PYTHON, "-c", "import sys; print(*sys.modules)"],
            capture_output=True,
            text=True,
            env=environment(),
            check=True,
        )
        new = set(self.started(SCRIPT, "*sys.modules")) - set(done.stdout.split())
        others = {name for name in new if not name.startswith("_atoll")}
        self.assertLessEqual(
            others, {"_ast", "binascii", "errno", "fcntl", "select", "_collections", "time", "zlib"}
        )

    def test_what_a_start_loads_is_compiled(self):
        loaded = {
            name.partition(".")[2] or "__init__"
            for name in self.started(SCRIPT, "*sys.modules")
            if name.partition(".")[0] == "_atoll"
        }
        self.assertEqual(loaded, set(bundle_driver.START))
        self.assertEqual(self.started(SCRIPT, "*modules.ready"), list(bundle_driver.FIRST_RUN))

    def test_other_versions_compile_the_source(self):
        foreign = SCRIPT.replace("compiled_for = b'", "compiled_for = b'?")
        self.assertNotEqual(foreign, SCRIPT)
        self.assertEqual(self.started(foreign, "len(modules.ready)"), ["0"])


if __name__ == "__main__":
    unittest.main()
