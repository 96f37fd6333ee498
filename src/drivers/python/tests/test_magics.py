"""What only IPython brings: magics, !commands, its shell. Loaded beforehand, as in a zygote."""

import unittest

from support import FOLDER, WITH_IPYTHON, ContextCase


class MagicsWithIPython(ContextCase):
    before = WITH_IPYTHON

    def test_timeit(self):
        self.assertRegex(self.ok("%timeit -n1 -r1 pass").out, r"ns|µs|ms")

    def test_time_gives_the_value(self):
        run = self.ok("%%time\nx = 20\nx + 1")
        self.assertEqual(run.plain, "21")
        self.assertIn("Wall time", run.out)

    def test_commands(self):
        run = self.ok("print('first')\n!echo second; echo third >&2\nprint('fourth')")
        self.assertEqual(run.out, "first\nsecond\nfourth\n")
        self.assertEqual(run.err, "third\n")
        self.assertEqual([word for word, _ in run.messages][-2], "stdout")
        self.assertEqual(self.ok("files = !printf 'a\\nb'\nfiles").plain, "['a', 'b']")
        self.assertEqual(self.ok("word = 'given'\n!echo {word} $word").out, "given given\n")
        self.assertEqual(self.ok("!exit 3\n_exit_code").plain, "3")

    def test_bash_cells(self):
        self.assertEqual(self.ok("%%bash\nfor i in 1 2; do echo $i; done").out, "1\n2\n")
        self.fails("%%bash\nexit 3", "CalledProcessError")

    def test_directories(self):
        driver = self.fresh()
        driver.run("%cd /usr")
        self.assertEqual(driver.run("import os; os.getcwd()").plain, "'/usr'")

    def test_errors_in_magics_fail_the_run(self):
        self.fails("%time 1/0", "ZeroDivisionError")
        self.fails("%nosuchmagic", "UsageError")
        self.assertEqual(self.ok("1").plain, "1")

    def test_interrupted_magics(self):
        for code in (
            "!echo going; sleep 1000",
            "%%bash\necho going\nsleep 1000",
            "%time print('going') or __import__('time').sleep(1000)",
        ):
            self.driver.send(code)
            self.driver.until("stdout", b"going")
            self.driver.interrupt()
            run = self.driver.rest()
            self.assertEqual((run.error["ename"], run.status), ("KeyboardInterrupt", 130), run)

    def test_matplotlib_magic_does_nothing(self):
        self.ok("%matplotlib inline")

    def test_help(self):
        self.assertIn("number of items", str(self.ok("len?").displays))

    def test_prompts_are_taken_off(self):
        self.assertEqual(self.ok(">>> x = 3\n>>> x").plain, "3")

    def test_syntax_errors_stay(self):
        self.fails("x = = 1", "SyntaxError")

    def test_the_shell_is_there(self):
        self.assertEqual(self.ok("get_ipython().user_ns is globals()").plain, "True")
        run = self.ok("from IPython import get_ipython as g\ng() is get_ipython()")
        self.assertEqual(run.plain, "True")

    def test_registered_formatters(self):
        run = self.ok(
            "class T: pass\nget_ipython().display_formatter.formatters['text/html'].for_type(T, lambda t:"
            " '<t>')\nT()"
        )
        self.assertEqual(run.result["text/html"], "<t>")

    def test_captured_cells(self):
        run = self.ok("%%capture held\nprint('x')\ndisplay(5)")
        self.assertEqual((run.out, run.displays), ("", []))
        self.assertEqual(self.ok("held.stdout").plain, "'x\\n'")

    def test_nothing_is_written(self):
        self.ok("1")
        self.assertFalse((FOLDER / ".ipython").exists())
        self.assertFalse((FOLDER / "db").exists())
        self.assertEqual(
            self.ok("import sys; 'sqlite3' in sys.modules and get_ipython().history_manager.enabled").plain,
            "False",
        )


class LateMagicsWithIPython(ContextCase):
    """Nothing has loaded it: the first code that needs it does."""

    def test_commands_and_magics(self):
        driver = self.fresh()
        self.assertEqual(driver.run("import sys; 'IPython' in sys.modules").plain, "False")
        self.assertEqual(driver.run("word = 'given'\n!echo {word}").out, "given\n")
        self.assertEqual(driver.run("%%bash\necho 1").out, "1\n")
        self.assertEqual(driver.run("display(word)").displays[0]["text/plain"], "'given'")
        self.assertEqual(driver.run("get_ipython().user_ns is globals()").plain, "True")

    def test_what_it_takes_to_load_it(self):
        driver = self.fresh()
        for code in ("x = = 1", "x = 5 %", "'a?' b"):
            self.assertEqual(driver.run(code).error["ename"], "SyntaxError")
        self.assertEqual(driver.run("import sys; 'IPython' in sys.modules").plain, "False")

    def test_where_it_is_not_installed(self):
        driver = self.fresh()
        driver.run("import sys; sys.modules['IPython'] = None")
        for _ in range(2):
            self.assertEqual(driver.run("!echo 1").error["ename"], "SyntaxError")
        self.assertEqual(driver.run("display(1)").displays[0]["text/plain"], "1")


if __name__ == "__main__":
    unittest.main()
