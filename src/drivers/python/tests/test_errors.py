"""Errors: name, value and traceback, however badly the exception behaves."""

import unittest

from support import both_ways


class Errors:
    def test_name_value_traceback(self):
        run = self.fails("def f(x):\n    return 1 / x\n\nf(0)", "ZeroDivisionError")
        self.assertEqual(run.error["evalue"], "division by zero")
        text = run.error["traceback"]
        self.assertTrue(text.startswith('Traceback (most recent call last):\n  File "<cell '), text)
        self.assertIn(", line 4, in <module>\n    f(0)\n", text)
        self.assertIn(", line 2, in f\n    return 1 / x\n", text)
        self.assertTrue(text.endswith("ZeroDivisionError: division by zero\n"), text)

    def test_lines_of_earlier_runs(self):
        self.ok("def earlier():\n    raise KeyError('k')")
        self.assertIn("raise KeyError('k')", self.fails("earlier()", "KeyError").error["traceback"])

    def test_no_frames_of_the_driver_and_no_colours(self):
        for code in (
            "1/0",
            "def f(): print(object().x)\nf()",
            "class A:\n    def __str__(self): 1/0\nprint(A())",
            "x =",
        ):
            text = self.run_code(code).error["traceback"]
            self.assertNotIn("_atoll", text)
            self.assertNotIn("<atoll>", text)
            self.assertNotIn("\x1b", text)

    def test_chained_exceptions(self):
        text = self.fails(
            "try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise ValueError('v') from e", "ValueError"
        ).error["traceback"]
        self.assertIn("ZeroDivisionError: division by zero\n\nThe above exception was the direct cause", text)
        text = self.fails("try:\n    1/0\nexcept ZeroDivisionError:\n    {}['k']", "KeyError").error[
            "traceback"
        ]
        self.assertIn("During handling of the above exception", text)

    def test_syntax_errors_point_at_the_place(self):
        text = self.fails("x = 1\ny = = 2", "SyntaxError").error["traceback"]
        self.assertRegex(
            text, r'^  File "<cell \d+>", line 2\n    y = = 2\n        \^\nSyntaxError: invalid syntax\n$'
        )
        self.assertIn("IndentationError", self.run_code("if 1:\npass").error["ename"])
        self.assertIn("\n    return 5\n", self.fails("x = 1\nreturn 5", "SyntaxError").error["traceback"])

    def test_deep_recursion(self):
        text = self.fails("def f(): return f()\nf()", "RecursionError").error["traceback"]
        self.assertIn("more times]", text)
        text = self.fails("def a(): return b()\ndef b(): return a()\na()", "RecursionError").error[
            "traceback"
        ]
        self.assertLess(len(text), 70_000)
        text = self.fails(
            "import sys\nsys.setrecursionlimit(20_000)\ntry:\n    f()\nfinally:\n   "
            " sys.setrecursionlimit(1000)",
            "RecursionError",
        ).error["traceback"]
        self.assertIn("only the last 100 frames", text)

    def test_a_huge_value_is_clipped(self):
        run = self.fails("raise ValueError('v' * 10_000_000)", "ValueError")
        self.assertLess(len(run.error["evalue"]), 9_000)
        self.assertLess(len(run.error["traceback"]), 70_000)
        self.assertIn("left out", run.error["evalue"])

    def test_exceptions_that_cannot_be_told(self):
        run = self.fails(
            "class Mute(Exception):\n    def __str__(self): raise RuntimeError\n"
            "    __repr__ = __str__\nraise Mute()",
            "Mute",
        )
        self.assertEqual(run.error["evalue"], "<exception str() failed>")
        self.fails("class Odd(Exception):\n    def __str__(self): return 5\nraise Odd()", "Odd")
        self.fails(
            "class Hidden(Exception):\n    def __getattribute__(self, name): raise RuntimeError(name)\nraise"
            " Hidden()",
            "Hidden",
        )
        self.assertEqual(self.ok("1").plain, "1")

    def test_a_huge_name_is_clipped(self):
        run = self.run_code("raise type('A' * 20_000_000, (Exception,), {})")
        self.assertEqual(run.status, 1)
        self.assertLess(len(run.error["ename"]), 1100)
        self.assertLess(len(run.error["traceback"]), 70_000)

    def test_classes_that_cannot_be_asked(self):
        self.ok("kept = 1")
        self.fails(
            "class M(type):\n    def __getattribute__(self, name): raise SystemExit\n"
            "class E(Exception, metaclass=M): pass\nraise E",
            "E",
        )
        self.fails(
            "class Exits(Exception):\n    def __str__(self): raise SystemExit\nraise Exits()", "Exits"
        )
        run = self.run_code("class S(SystemExit):\n    code = property(lambda s: 1 / 0)\nraise S")
        self.assertEqual(run.status, 1)
        self.assertEqual(self.ok("kept").plain, "1")

    def test_what_the_driver_writes_with_may_be_replaced(self):
        driver = self.fresh()
        driver.run("import os; os.write = os.read = os.close = None; kept = 1")
        self.assertEqual(driver.run("kept").plain, "1")
        self.assertEqual(driver.run("1 / 0").error["ename"], "ZeroDivisionError")
        self.assertEqual(len(driver.run("'x' * 200_000").plain), 200_002)

    def test_a_broken_import_ends_nothing(self):
        driver = self.fresh()
        driver.run("import builtins; kept, real = 1, builtins.__import__; builtins.__import__ = None")
        self.assertEqual(driver.run("1 / 0").error["ename"], "ZeroDivisionError")
        self.assertEqual(driver.run("builtins.__import__ = real").status, 0)
        self.assertEqual(driver.run("kept").plain, "1")

    def test_lone_surrogates_in_a_message(self):
        self.assertEqual(self.fails("raise ValueError('\\ud800')", "ValueError").error["evalue"], "?")

    def test_base_exceptions(self):
        self.fails("class Own(BaseException): pass\nraise Own('x')", "Own")
        self.fails("raise GeneratorExit", "GeneratorExit")
        self.fails("raise KeyboardInterrupt", "KeyboardInterrupt", 130)

    def test_groups(self):
        if self.ok("'ExceptionGroup' in dir(__builtins__)").plain == "True":
            text = self.fails(
                "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])", "ExceptionGroup"
            ).error["traceback"]
            self.assertIn("ValueError: 1", text)
            self.assertIn("TypeError: 2", text)

    def test_out_of_memory(self):
        self.fails("x = 'x' * (1 << 60)", "MemoryError")
        self.fails("bytearray(1 << 62)", "MemoryError")
        self.assertEqual(self.ok("2").plain, "2")

    def test_exit_codes(self):
        for code, status in (
            ("import sys; sys.exit(3)", 3),
            ("exit()", 0),
            ("raise SystemExit", 0),
            ("exit(-1)", 255),
            ("exit(True)", 1),
            ("quit(256)", 0),
            ("exit(2 ** 70)", 255),
            ("exit(-(2 ** 70))", 255),
            ("class I(int):\n    def __and__(self, other): return None\nexit(I(4))", 4),
        ):
            run = self.run_code(code)
            self.assertEqual((run.status, run.error), (status, None), code)
        run = self.run_code("exit('a reason')")
        self.assertEqual((run.status, run.error, run.err), (1, None, "a reason\n"))
        self.assertEqual(self.ok("7").plain, "7")

    def test_warnings_are_shown_in_every_run(self):
        for _ in range(2):
            err = self.ok("import warnings\nwarnings.warn('careful')").err
            self.assertRegex(err, r"^<cell \d+>:2: UserWarning: careful\n  warnings.warn\('careful'\)\n$")

    def test_errors_of_threads_go_to_stderr(self):
        err = self.ok("import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start(); t.join()").err
        self.assertIn("ZeroDivisionError", err)


both_ways(globals(), (Errors,))

if __name__ == "__main__":
    unittest.main()
