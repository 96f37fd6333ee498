"""atoll repl: cells that share their state, from a pipe and at a terminal."""
import base64
import json
import os
import signal
import subprocess

import support
from support import atoll
from test_terminal import Terminal

PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
         "rkJggg==")
PICTURE = f"""
class Picture:
    def _repr_png_(self): return __import__('base64').b64decode('{PIXEL}')
    def _repr_html_(self): return '<b>é</b>'
    def __repr__(self): return 'a picture'
"""


def repl(*words, cells=(), **more):
    return atoll("repl", *words, stdin="\n# %%\n".join(cells), **more)


def events(outcome):
    return [json.loads(line) for line in outcome.out.splitlines()]


class Cells(support.Case):
    # covers: atoll repl
    def test_state_results_and_output(self):
        outcome = repl(cells=["x = 6\nprint('hello')", "x * 7", "def f():\n  return x\n\nf()"])
        self.expect(outcome, out="hello\n42\n6\n", err="")

    def test_code_that_the_language_cannot_take_is_that_cell_s_affair(self):
        outcome = repl("-l", "bash", cells=["echo 'a\0b'", "echo next"])
        self.assertEqual((outcome.code, outcome.out), (125, "next\n"))
        self.assertIn("invalid_argument", outcome.err)

    def test_output_that_nobody_takes_in_time_is_lost_with_its_cell_only(self):
        read_end, write_end = os.pipe()  # full after 64 KiB, and not read before the end
        process = subprocess.Popen([support.ATOLL, "repl", "--timeout", "1s"], stdin=subprocess.PIPE,
                                   stdout=write_end, stderr=subprocess.PIPE)
        os.close(write_end)
        _, told = process.communicate(b"while True: print('x' * 1000)\n", timeout=60)
        os.close(read_end)
        self.assertEqual(process.returncode, 124, told)
        self.assertIn(b"nobody read the output", told)

    def test_without_a_stdout_cells_go_on(self):
        outcome = repl(cells=["import sys; sys.stdout = None", "5"])
        self.expect(outcome, out="5\n", err="")

    def test_every_language(self):
        for language, cells, out in (
                ("javascript", ["const x = await 6", "console.log(x)", "x * 7"], "6\n42\n"),
                ("js", ["let y = {a: [1, 2]}", "y.a.length"], "2\n"),
                ("bash", ["x=6; cd /tmp; f() { echo $((x * 7)); }", "pwd; f"], "/tmp\n42\n"),
                ("sh", ["echo hi"], "hi\n")):
            self.expect(repl("-l", language, cells=cells), out=out)

    def test_the_other_separator_and_empty_cells(self):
        outcome = atoll("repl", "-l", "js", stdin="// %%\nlet x = 1\n// %%\n\n// %%\nx + 1")
        self.expect(outcome, out="2\n")
        self.expect(atoll("repl", stdin=""), out="", err="")

    def test_a_cell_runs_as_soon_as_its_end_has_come(self):
        process = subprocess.Popen([support.ATOLL, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(b"print('first')\n# %%\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"first\n")
        out, _ = process.communicate(b"print('second')\n", timeout=60)
        self.assertEqual((out, process.returncode), (b"second\n", 0))

    def test_an_error_ends_its_cell_only(self):
        outcome = repl(cells=["x = 1", "print('before')\n1/0", "x"])
        self.expect(outcome, code=1, out="before\n1\n")
        self.assertIn("ZeroDivisionError: division by zero", outcome.err)
        self.assertIn("1/0", outcome.err)

    def test_exit_codes(self):
        self.expect(repl(cells=["import sys", "sys.exit(3)", "print(1)"]), code=3, out="1\n")
        self.expect(repl("-l", "bash", cells=["exit 7"]), code=7)
        self.expect(repl("--timeout", "3s", cells=["while True: pass", "print(1)"]), code=124, out="1\n")

    def test_a_crash_is_told_and_the_next_cell_runs(self):
        outcome = repl(cells=["x = 1", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "'x' in globals()"])
        self.expect(outcome, code=139, out="False\n")
        self.assertIn("SIGSEGV", outcome.err)

    def test_out_of_memory(self):
        if not support.IS_ROOT:
            return  # without cgroups the allocator says no, which is an ordinary error
        outcome = repl("--memory", "100m", cells=["a = []\nwhile True: a.append(b'x' * 10_000_000)"])
        self.expect(outcome, code=137)
        self.assertIn("memory", outcome.err)

    def test_the_sandbox_is_as_it_was_asked_for(self):
        (self.folder / "in.txt").write_text("from outside")
        outcome = repl("--mount", f"{self.folder}:/data", "-e", "K=V", "--workdir", "/tmp", "--hostname", "shore",
                       cells=["import os, socket\n(open('/data/in.txt').read(), os.environ['K'], os.getcwd(), "
                              "socket.gethostname())"])
        self.expect(outcome, out="('from outside', 'V', '/tmp', 'shore')\n")

    def test_large_output_arrives_whole(self):
        outcome = repl("--cpus", "2", cells=["for i in range(2000): print('x' * 9999)"])
        self.assertEqual(len(outcome.raw_out), 20_000_000, outcome.err)

    def test_input_is_empty(self):
        self.expect(repl(cells=["try: input()\nexcept EOFError: print('end')"]), out="end\n")

    def test_sigint_interrupts_the_cell(self):
        process = subprocess.Popen([support.ATOLL, "repl", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(b"x = 1\nprint('started')\nimport time\ntime.sleep(1000)\n# %%\nx\n")
        process.stdin.close()
        self.assertEqual(json.loads(process.stdout.readline())["text"], "started\n")
        process.send_signal(signal.SIGINT)
        rest = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.wait(60), 130)
        process.stdout.close()
        self.assertEqual([one["event"] for one in rest], ["error", "done", "result", "done"])
        self.assertEqual(rest[0]["ename"], "KeyboardInterrupt")
        self.assertTrue(rest[1]["interrupted"])
        self.assertEqual(rest[2]["data"]["text/plain"], "1")

    def test_sigterm_ends_the_session(self):
        process = subprocess.Popen([support.ATOLL, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(b"print('started')\nwhile True: pass\n# %%\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"started\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        process.communicate()

    def test_a_reader_that_leaves_ends_the_session(self):
        done = subprocess.run(f"echo \"while True: print('y')\" | {support.ATOLL} repl | head -1; echo ${{PIPESTATUS[1]}}",
                              shell=True, executable="/bin/bash", capture_output=True, timeout=60)
        self.assertEqual(done.stdout, b"y\n141\n", done)


class Json(support.Case):
    def test_events_and_the_end_of_each_cell(self):
        outcome = repl("--json", cells=["import sys\nprint('out')\nprint('err', file=sys.stderr)\n1 + 1", "1/0"])
        self.assertEqual(outcome.code, 1)
        seen = events(outcome)
        self.assertEqual([(one["event"], one["cell"]) for one in seen],
                         [("stdout", 1), ("stderr", 1), ("result", 1), ("done", 1), ("error", 2), ("done", 2)])
        self.assertEqual((seen[0]["text"], seen[1]["text"]), ("out\n", "err\n"))
        self.assertEqual(seen[2]["data"]["text/plain"], "2")
        self.assertEqual(set(seen[3]), {"event", "cell", "exit_code", "execution_count", "timed_out", "interrupted",
                                        "restarted", "crashed", "lost", "duration_ms"})
        self.assertEqual((seen[3]["exit_code"], seen[5]["exit_code"], seen[5]["execution_count"]), (0, 1, 2))
        self.assertEqual(seen[4]["ename"], "ZeroDivisionError")

    def test_bytes_that_are_not_text(self):
        seen = events(repl("--json", cells=["import os\nos.write(1, bytes(range(256)))\nNone"]))
        parts = [one for one in seen if one["event"] == "stdout"]
        self.assertEqual(b"".join(base64.b64decode(one["b64"]) for one in parts), bytes(range(256)))

    def test_a_crash(self):
        done = events(repl("--json", cells=["import os\nos._exit(3)"]))[-1]
        self.assertTrue(done["restarted"])
        self.assertEqual((done["crashed"]["exit_code"], done["crashed"]["oom"]), (3, False))

    def test_failures_are_objects_too(self):
        outcome = self.expect_failure(repl("--json", "-l", "cobol"), "unsupported_language")
        self.assertEqual(events(outcome)[0]["code"], "unsupported_language")


class Save(support.Case):
    def test_pictures_become_files(self):
        plots = self.folder / "plots"
        outcome = repl("--save", plots, cells=[PICTURE, "display(Picture())\nPicture()"])
        self.expect(outcome, out="a picture\nsaved cell-2-1.png\nsaved cell-2-1.html\n"
                                 "a picture\nsaved cell-2-2.png\nsaved cell-2-2.html\n")
        self.assertEqual((plots / "cell-2-1.png").read_bytes(), base64.b64decode(PIXEL))
        self.assertEqual((plots / "cell-2-2.html").read_text(), "<b>é</b>")
        self.assertEqual(sorted(os.listdir(plots)),
                         ["cell-2-1.html", "cell-2-1.png", "cell-2-2.html", "cell-2-2.png"])

    def test_what_the_sandbox_put_there_is_not_followed(self):
        victim = self.file("victim", "untouched")
        out = self.folder / "out"
        out.mkdir()
        out.chmod(0o777)
        (out / "cell-1-1.png").symlink_to(victim)
        os.mkfifo(out / "cell-1-1.html")
        outcome = repl("--save", out, cells=[PICTURE + "Picture()"])
        self.expect(outcome)
        self.assertEqual(victim.read_text(), "untouched")
        self.assertEqual((out / "cell-1-1.png").read_bytes(), base64.b64decode(PIXEL))
        self.assertEqual((out / "cell-1-1.html").read_text(), "<b>é</b>")

    def test_json_names_the_files(self):
        seen = events(repl("--json", "--save", self.folder, cells=[PICTURE + "Picture()"]))
        self.assertEqual([one["file"] for one in seen if one["event"] == "saved"], ["cell-1-1.png", "cell-1-1.html"])

    def test_a_folder_that_cannot_be(self):
        self.expect_failure(repl("--save", "/proc/nothing"), "not_found")
        self.expect_failure(repl("--save", self.file("file", "")), "invalid_argument")


class BadInput(support.Case):
    def test_words_and_options_there_are_not(self):
        self.expect_failure(repl("script.py"), "invalid_argument")
        self.expect_failure(repl("-c", "1"), "invalid_argument")
        self.expect_failure(repl("--memory", "0"), "invalid_argument")

    def test_a_cell_that_is_too_large(self):
        self.expect_failure(repl(cells=["#" + "x" * (9 << 20)]), "too_large")

    def test_nul(self):
        self.expect(atoll("repl", stdin=b"print(1)\0\n# %%\nprint(2)"), code=1, out="2\n")
        self.expect_failure(atoll("repl", "-l", "bash", stdin=b"echo 1\0"), "invalid_argument")

    def test_help(self):
        outcome = self.expect(atoll("repl", "--help"))
        for word in ("--save", "--json", "--memory", "# %%"):
            self.assertIn(word, outcome.out)


class AtATerminal(support.Case):
    def start(self, *words):
        terminal = Terminal(*words, command="repl")
        terminal.expect("python 1> " if "-l" not in words else " 1> ")
        return terminal

    def test_lines_blocks_and_the_end(self):
        terminal = self.start()
        terminal.type("x = 20\n")
        terminal.expect("python 2> ")
        terminal.type("def f():\n")
        terminal.expect("python .> ")
        terminal.type("  return x + 1\n")
        terminal.expect("python .> ")
        terminal.type("\n")
        terminal.expect("python 3> ")
        terminal.type("f() * 2\n")
        terminal.expect("\r\n42\r\n")
        terminal.expect("python 4> ")
        terminal.type("1/0\n")
        terminal.expect("ZeroDivisionError")
        terminal.expect("python 5> ")
        terminal.type("print('no newline', end='')\n")
        terminal.expect("no newline\r\npython 6> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), (0, True), terminal.seen)

    def test_ctrl_c_interrupts_and_keeps_the_state(self):
        terminal = self.start()
        terminal.type("x = 'kept'; print('sta' + 'rted'); import time; time.sleep(1000)\n")
        terminal.expect("started")
        terminal.type("\x03")
        terminal.expect("KeyboardInterrupt")
        terminal.expect("python 2> ")
        terminal.type("x\n")
        terminal.expect("'kept'")
        terminal.expect("python 3> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), (0, True), terminal.seen)

    def test_ctrl_c_at_the_prompt_drops_what_was_typed(self):
        terminal = self.start()
        terminal.type("if True:\n")
        terminal.expect("python .> ")
        terminal.type("\x03")
        terminal.expect("python 1> ")
        terminal.type("6 * 7\n")
        terminal.expect("42")
        terminal.expect("python 2> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), (0, True), terminal.seen)

    def test_a_second_ctrl_c_ends_what_does_not_stop(self):
        terminal = self.start()
        terminal.type("import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n")
        terminal.expect("python 2> ")
        terminal.type("exec(\"print('sta' + 'rted')\\nwhile True: pass\")\n")
        terminal.expect("started")
        for _ in range(60):  # two that come at once are one
            terminal.type("\x03")
            try:
                terminal.expect("restarted", seconds=0.5)
                break
            except AssertionError:
                pass
        terminal.expect("> ")
        terminal.type("'fre' + 'sh'\n")
        terminal.expect("fresh")
        terminal.type("\x04")
        terminal.end()

    def test_other_languages_have_their_own_prompt(self):
        terminal = self.start("-l", "bash")
        terminal.type("for i in 1 2; do\n")
        terminal.expect("bash .> ")
        terminal.type("echo line-$i\ndone\n\n")
        terminal.expect("line-1\r\nline-2\r\n")
        terminal.expect("bash 2> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), (0, True), terminal.seen)


if __name__ == "__main__":
    support.main()
