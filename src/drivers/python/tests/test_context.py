"""Contexts: state, results, streams, the awkward inputs."""

import json
import unittest

from support import FOLDER, both_ways


class State:
    def test_ready_names_language_and_version(self):
        self.assertEqual(self.driver.ready["language"], "python")
        self.assertRegex(self.driver.ready["version"], r"^3\.\d+\.\d+$")

    def test_names_live_on(self):
        self.ok("import math\nkept = 41\ndef more(): return kept + 1")
        self.assertEqual(self.ok("more()").plain, "42")
        self.assertEqual(self.ok("math.floor(2.5)").plain, "2")

    def test_last_expression_is_the_result(self):
        self.assertEqual(self.ok("1 + 1").plain, "2")
        self.assertEqual(self.ok("a = 5\na * 2  # twice").plain, "10")
        self.assertEqual(self.ok("if True:\n    7").result, None)
        self.assertEqual(self.ok("'text'").plain, "'text'")
        self.assertEqual(self.ok("").result, None)
        self.assertEqual(self.ok("# nothing").result, None)

    def test_none_and_semicolon_give_no_result(self):
        for code in ("None", "5;", "5 ; # quiet", "(\n5\n);", "x = 5", "print()"):
            self.assertIsNone(self.ok(code).result, code)
        self.assertEqual(self.ok("';'").plain, "';'")
        self.assertEqual(self.ok("1; 2").plain, "2")

    def test_underscore_is_the_last_result(self):
        self.ok("6 * 7")
        self.assertEqual(self.ok("_ + 1").plain, "43")

    def test_counts_runs(self):
        counts = [
            json.loads(self.run_code(code).bodies("done")[0])["execution_count"] for code in ("1", "1/0", "")
        ]
        self.assertEqual(counts, [counts[0], counts[0] + 1, counts[0] + 2])

    def test_what_it_used_is_told(self):
        before, after = [
            json.loads(self.ok(code).bodies("done")[0]) for code in ("1", "for _ in range(10**6): pass")
        ]
        self.assertGreater(after["cpu_user_us"], before["cpu_user_us"])
        self.assertGreater(after["memory_peak_kb"], 1000)
        if not self.before:  # the code may have a module of that name
            self.assertEqual(self.fresh().run("import sys; 'resource' in sys.modules").plain, "False")

    def test_main_is_a_plain_interpreters(self):
        run = self.ok(
            "import sys\n(__name__, sys.argv, sys.path[0], '__file__' in globals(), "
            "sys.modules['__main__'].__dict__ is globals())"
        )
        self.assertEqual(run.plain, "('__main__', [''], '', False, True)")

    def test_recursion_limit_is_the_usual(self):
        self.assertEqual(self.ok("import sys; sys.getrecursionlimit()").plain, "1000")
        self.assertEqual(
            self.ok("def deep(n): return 0 if n == 0 else 1 + deep(n - 1)\ndeep(995)").plain, "995"
        )
        self.fails("deep(1100)", "RecursionError")
        self.ok("sys.setrecursionlimit(3000)\ndeep(2900)\nsys.setrecursionlimit(1000)")

    def test_future_annotations_hold_for_later_runs(self):
        driver = self.fresh()
        driver.run("from __future__ import annotations\ndef f(x: Missing): pass")
        run = driver.run("def g(x: Missing): pass\ng.__annotations__['x']")
        self.assertEqual((run.plain, run.error), ("'Missing'", None))

    def test_classes_can_be_pickled(self):
        self.ok("import pickle\nclass Point:\n    x = 3\n")
        self.assertEqual(self.ok("pickle.loads(pickle.dumps(Point())).x").plain, "3")

    def test_source_of_a_function_is_found(self):
        self.assertIn(
            "return 12",
            self.ok("import inspect\ndef twelve():\n    return 12\nprint(inspect.getsource(twelve))").out,
        )

    def test_indented_code_runs(self):
        self.assertEqual(self.ok("    x = 1\n    x + 1").plain, "2")

    def test_other_line_ends_and_a_mark(self):
        self.assertEqual(self.ok("\ufeffx = 1\r\nif x:\r\n    x = 2\r\nx").plain, "2")

    def test_a_small_recursion_limit_does_not_hurt_the_driver(self):
        driver = self.fresh()
        driver.run("import sys; sys.setrecursionlimit(60)")
        self.assertEqual(driver.run("1/0").error["ename"], "ZeroDivisionError")
        self.assertEqual(driver.run("2").plain, "2")


class Streams:
    def test_streams_are_in_order(self):
        run = self.ok("import sys\nfor i in range(3):\n    print('o', i)\n    print('e', i, file=sys.stderr)")
        self.assertEqual([word for word, _ in run.messages], ["stdout", "stderr"] * 3 + ["done"])
        self.assertEqual((run.out, run.err), ("o 0\no 1\no 2\n", "e 0\ne 1\ne 2\n"))

    def test_one_print_is_one_message(self):
        self.assertEqual(
            self.ok("print(1, 'b', None, sep='-', end='!')").messages[0], ("stdout", b"1-b-None!")
        )

    def test_output_is_seen_at_once(self):
        """The second line is printed only after this test has seen the first."""
        driver = self.fresh()
        driver.send(
            "import os, sys, time\nsys.stdout.write('first')\n"
            "while not os.path.exists('go'): time.sleep(0.001)\nprint('second')"
        )
        self.assertEqual(driver.message(), ("stdout", b"first"))
        (FOLDER / "go").touch()
        self.assertEqual(driver.rest().out, "second\n")
        (FOLDER / "go").unlink()

    def test_print_is_as_ever(self):
        run = self.ok(
            "import io\nbuffer = io.StringIO()\nprint(1, 2, file=buffer)\nprint(sep='x')\n"
            "print('a', 'b', sep=None, end=None)\nbuffer.getvalue()"
        )
        self.assertEqual((run.out, run.plain), ("\na b\n", "'1 2\\n'"))
        self.assertIn(
            "sep must be None or a string", self.fails("print(1, 2, sep=3)", "TypeError").error["evalue"]
        )
        self.fails("print(1, wrong=3)", "TypeError")

    def test_redirected_output_is_not_sent(self):
        run = self.ok(
            "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as held:\n    print('x')\n"
            "held.getvalue()"
        )
        self.assertEqual((run.out, run.plain), ("", "'x\\n'"))

    def test_what_a_stream_has(self):
        run = self.ok(
            "import sys\n(sys.stdout.fileno(), sys.stderr.fileno(), sys.stdout.isatty(), sys.stdout.encoding,"
            " sys.stdout.name, sys.stdout.writable(), sys.stdout.closed)"
        )
        self.assertEqual(run.plain, "(1, 2, False, 'utf-8', '<stdout>', True, False)")
        run = self.ok("sys.stdout.buffer.write(b'\\xff\\x00raw'); sys.stdout.flush()")
        self.assertEqual(run.bodies("stdout"), [b"\xff\x00raw"])

    def test_closing_stdout_is_survived(self):
        self.run_code("import sys; sys.stdout.close()")
        self.assertEqual(self.ok("print('still')").out, "still\n")

    def test_undecodable_names_are_printed_as_they_are(self):
        self.assertEqual(
            self.ok("print(b'\\xff.txt'.decode('utf-8', 'surrogateescape'))").bodies("stdout"),
            [b"\xff.txt\n"],
        )
        self.fails("print('\\ud800')", "UnicodeEncodeError")

    def test_large_writes_are_cut_between_characters(self):
        run = self.ok("print('é' * 100_000, end='')")
        self.assertEqual(run.out, "é" * 100_000)
        self.assertGreater(len(run.bodies("stdout")), 3)
        for body in run.bodies("stdout"):
            self.assertLessEqual(len(body), 64 << 10)
            body.decode("utf-8")

    def test_many_megabytes(self):
        run = self.ok("for i in range(40): print('x' * (1 << 20))")
        self.assertEqual(len(run.out), 40 * ((1 << 20) + 1))

    def test_threads_print_whole_lines(self):
        run = self.ok(
            "import threading\n"
            "def work(n):\n    for i in range(200): print(n, i)\n"
            "threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n"
            "[t.start() for t in threads]; [t.join() for t in threads];"
        )
        lines = run.out.splitlines()
        self.assertEqual(sorted(lines), sorted(f"{n} {i}" for n in range(4) for i in range(200)))

    def test_a_thread_left_running_prints_into_later_runs(self):
        driver = self.fresh()
        driver.run(
            "import threading\ngo = threading.Event()\n"
            "thread = threading.Thread(target=lambda: (go.wait(), print('late')))\nthread.start()"
        )
        self.assertEqual(driver.run("go.set(); thread.join()").out, "late\n")

    def test_input_is_at_its_end(self):
        self.fails("input('name? ')", "EOFError")
        self.assertEqual(self.ok("import sys; sys.stdin.read()").plain, "''")

    def test_exit_leaves_input_as_it_was(self):
        self.run_code("exit()")
        self.fails("input()", "EOFError")

    def test_output_from_a_finalizer_within_a_print(self):
        run = self.ok(
            "class Loud:\n    def __str__(self):\n        print('inner')\n        return"
            " 'outer'\nprint(Loud())"
        )
        self.assertEqual(run.out, "inner\nouter\n")


class Awkward:
    def test_a_zero_byte(self):
        run = self.run_code("x = 1\0 + 1")
        self.assertIn(run.error["ename"], ("ValueError", "SyntaxError"))

    def test_bytes_that_are_no_utf8(self):
        self.fails(b"x = '\xed\xa0\x80'", "UnicodeDecodeError")
        self.fails(b"\xff\xfe", "UnicodeDecodeError")

    def test_nested_brackets(self):
        for code in (
            "(" * 5000 + ")" * 5000,
            "[" * 100_000,
            "-" * 100_000 + "1",
            "a" + ".b" * 100_000,
            "f(" * 3000 + ")" * 3000,
            "1" + "+1" * 100_000,
            "{" * 200 + "}" * 200,
        ):
            run = self.run_code(code)
            self.assertIn(
                (run.error or {}).get("ename"),
                ("SyntaxError", "MemoryError", "RecursionError", "NameError", "TypeError", None),
                code[:20],
            )
        self.assertEqual(self.ok("1").plain, "1")

    def test_a_long_program(self):
        self.assertEqual(self.ok("x = 0\n" + "x += 1\n" * 20_000 + "x").plain, "20000")

    def test_much_code_is_refused(self):
        self.assertIn("33554433", self.fails("#" * (32 << 20) + "\n", "ValueError").error["evalue"])

    def test_a_crash_is_the_end_of_the_process(self):
        for code, status in (
            ("import os; os._exit(7)", 7),
            ("import os; os.kill(os.getpid(), 9)", -9),
            ("import ctypes; ctypes.string_at(0)", -11),
        ):
            driver = self.fresh()
            driver.send(code)
            self.assertIsNone(driver.message())
            self.assertEqual(driver.close(), status)

    def test_the_end_of_the_socket_runs_exit_functions(self):
        driver = self.fresh()
        driver.run(
            "import atexit, threading\natexit.register(lambda: open('left', 'w').write('yes'))\n"
            "threading.Thread(target=threading.Event().wait).start()"
        )
        self.assertEqual(driver.close(), 0)
        self.assertEqual((FOLDER / "left").read_text(), "yes")
        (FOLDER / "left").unlink()

    def test_an_unknown_message_is_ignored(self):
        self.driver.socket.sendall(b"hello 2\nhi")
        self.assertEqual(self.ok("3").plain, "3")

    def test_a_broken_message_ends_the_driver(self):
        for data in (b"run x\n", b"run\n", b"run -5\n", b"x" * 500, b"run 99999999999999\n"):
            driver = self.fresh()
            driver.socket.sendall(data)
            self.assertIsNone(driver.message(), data)

    def test_two_messages_at_once(self):
        self.driver.socket.sendall(b"run 1\n1run 1\n2")
        self.assertEqual((self.driver.rest().plain, self.driver.rest().plain), ("1", "2"))


class Await:
    def test_top_level_await(self):
        self.assertEqual(self.ok("import asyncio\nawait asyncio.sleep(0, 5)").plain, "5")
        self.assertEqual(self.ok("async def f():\n    return 1\nx = await f()\nx + 1").plain, "2")
        self.assertEqual(self.ok("task = asyncio.create_task(f())\nawait task").plain, "1")
        self.assertEqual(self.ok("asyncio.run(f())").plain, "1")
        self.assertEqual(
            self.ok("async def g():\n    yield 1\n    yield 2\n[i async for i in g()]").plain, "[1, 2]"
        )
        self.assertEqual(self.ok("async with asyncio.Lock():\n    y = 8\ny").plain, "8")

    def test_tasks_live_from_run_to_run(self):
        self.ok(
            "async def later():\n    await asyncio.sleep(0)\n    return 'done'\nimport asyncio\n"
            "await asyncio.sleep(0)\ntask = asyncio.get_event_loop().create_task(later())"
        )
        self.assertEqual(self.ok("await task").plain, "'done'")

    def test_asyncio_run_works_too(self):
        self.assertEqual(self.ok("import asyncio\nasync def f():\n    return 4\nasyncio.run(f())").plain, "4")
        self.assertEqual(self.ok("await f()").plain, "4")

    def test_errors_in_a_coroutine(self):
        run = self.fails(
            "import asyncio\nasync def bad():\n    await asyncio.sleep(0)\n    1/0\nawait bad()",
            "ZeroDivisionError",
        )
        self.assertIn("in bad\n    1/0", run.error["traceback"])
        self.assertNotIn("base_events", run.error["traceback"])

    def test_exit_in_a_coroutine(self):
        self.assertEqual(self.run_code("import sys\nasync def leave(): sys.exit(4)\nawait leave()").status, 4)


both_ways(globals(), (State, Streams, Awkward, Await))

if __name__ == "__main__":
    unittest.main()
