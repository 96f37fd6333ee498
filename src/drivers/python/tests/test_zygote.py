"""The zygote as a server: boxes, executions, garbage, and modules that do not load."""

import os
import signal
import socket
import struct
import time
import unittest

from support import DEADLINE, FOLDER, wait_until
from zygote_host import MAGIC, REQUEST, VERSION, Context, Execution, Zygote, ZygoteCase, exec_args, file_with


class ZygotePlain(ZygoteCase):
    def test_ready_report(self):
        self.assertEqual(self.zygote.ready, {"ready": True, "loaded": [], "missing": {}, "threads": 0})

    def test_the_helper_gets_what_the_launcher_said(self):
        read_end, write_end = os.pipe()
        with self.zygote.box(gid=77) as link:
            execution = Execution(link, ["python3", "-c", "pass"], tasks=[write_end])
            os.close(write_end)
            self.assertEqual(execution.outcome()[0], 0)
            self.assertEqual(execution.seen, (1000, 77, 64, 1, 1 << 33))
            self.assertEqual(os.read(read_end, 10), b"0")
        os.close(read_end)

    def test_working_directory(self):
        self.assertEqual(self.run_code("import os; print(os.getcwd())", cwd="/usr")[1], "/usr\n")

    def test_children_differ(self):
        code = (
            "import random, secrets, tempfile, uuid\nprint(random.random(), secrets.token_hex(8),"
            " uuid.uuid4(), next(tempfile._get_candidate_names()))"
        )
        outputs = [self.run_code(code)[1].split() for _ in range(5)]
        for column in zip(*outputs):
            self.assertEqual(len(set(column)), len(outputs), column)

    def test_nothing_of_the_zygote_is_seen(self):
        status, out, err = self.run_code(
            "import gc, os, sys\n"
            "fds = [os.readlink('/proc/self/fd/' + fd) for fd in os.listdir('/proc/self/fd')[3:-1]]\n"
            "print(fds, 'ATOLL_ENTER' in os.environ, len(sys.modules['__main__'].__dict__) < 20)"
        )
        self.assertEqual((status, out, err), (0, "[] False True\n", ""))

    def test_the_environment_is_the_executions_own(self):
        code = (
            "import os, subprocess; print(os.environ.get('A'), os.environ.get('HOME'), flush=True);"
            " subprocess.run(['sh', '-c', 'echo $A $PATH'])"
        )
        status, out, err = self.run_code(code, env={"A": "b=c", "PATH": "/usr/bin:/bin"})
        self.assertEqual((out, err), ("b=c None\nb=c /usr/bin:/bin\n", ""))

    def test_children_do_not_see_each_other(self):
        self.run_code("import json, builtins; json.spoilt = builtins.spoilt = True")
        self.assertEqual(self.run_code("import json; print(hasattr(json, 'spoilt'))")[1], "False\n")

    def test_files_of_a_child_are_its_own(self):
        path = FOLDER / "written"
        self.run_code(f"f = open({str(path)!r}, 'w'); f.write('kept' * 10_000)")
        self.assertEqual(path.read_text(), "kept" * 10_000)

    def test_contexts(self):
        context = Context(self.link)
        self.assertEqual(context.ready[0], "ready")
        self.assertEqual(context.run("x = 20\nx + 1").plain, "21")
        self.assertEqual(context.run("print(x)").out, "20\n")
        self.assertEqual(context.run("1/0").error["ename"], "ZeroDivisionError")
        self.assertEqual(context.run("import os; os.get_inheritable(3)").plain, "False")
        self.assertEqual(context.run("import asyncio\nawait asyncio.sleep(0, 3)").plain, "3")
        self.assertEqual(
            context.run("import sys; sys.argv, sys.path[0], '__file__' in globals()").plain,
            "([''], '', False)",
        )
        context.run(
            "import atexit, sys; atexit.register(lambda: sys.__stderr__.flush() or __import__('os').write(1,"
            " b'left'))"
        )
        self.assertEqual(context.close(), (0, b"left", b""))

    def test_a_context_that_crashes(self):
        context = Context(self.link)
        context.execution.control.sendall(b"run 22\nimport os; os._exit(5)")
        self.assertEqual(context.close()[0], 5)

    def test_many_at_once(self):
        executions = [Execution(self.link, ["python3", "-c", f"print({n} * 2)"]) for n in range(30)]
        self.assertEqual(
            [execution.outcome()[:2] for execution in executions], [(0, b"%d\n" % (n * 2)) for n in range(30)]
        )

    def test_one_that_may_wait_for_long(self):
        before = self.zygote.descriptors()
        for word in (b"l", b"x", b"l"):
            outcome = Execution(self.link, ["python3", "-c", "print(1)"], word=word).outcome()
            self.assertEqual(outcome, (0, b"1\n", b""))
        wait_until(lambda: self.zygote.descriptors() <= before)

    def test_large_code(self):
        status, out, _ = self.run_code("x = '" + "y" * 150_000 + "'\nprint(len(x))")
        self.assertEqual((status, out), (0, "150000\n"))

    def test_no_zombies_and_no_descriptors_are_left(self):
        self.run_code("pass")
        before = self.zygote.descriptors()
        for _ in range(20):
            self.run_code("pass")
        boxes = [self.zygote.box() for _ in range(10)]
        self.assertEqual(Execution(boxes[-1], ["python3", "-c", "pass"]).outcome()[0], 0)
        for link in boxes:
            link.close()
        wait_until(lambda: self.zygote.descriptors() == before)
        wait_until(lambda: not children_of(self.zygote.process.pid))

    def test_the_helper_fails(self):
        with self.zygote.box(gid=4242) as link:
            self.assertEqual(Execution(link, ["python3", "-c", "pass"]).outcome(), (None, b"", b""))
        self.assertEqual(self.run_code("print(1)")[1], "1\n")


class GarbagePlain(ZygoteCase):
    def assert_alive(self):
        self.assertEqual(self.run_code("print(1)")[1], "1\n")

    def test_garbage_from_a_launcher(self):
        before = self.zygote.descriptors()
        null = os.open("/dev/null", os.O_RDONLY)
        good = struct.pack("<6IQ", MAGIC, VERSION, 1, 1, 1, 0, 0)
        for data, fds in (
            (b"x", []),
            (b"x" * 100_000, []),
            (good, []),
            (good, [null]),
            (good, [null] * 2),
            (good, [null] * 3),
            (struct.pack("<6IQ", 1, VERSION, 1, 1, 1, 0, 0), [null]),
            (struct.pack("<6IQ", MAGIC, VERSION - 1, 1, 1, 1, 0, 0), [null]),
            (good[:-1], [null]),
            (good + b"x", [null]),
            (good, [null] * 60),
        ):
            connection = self.zygote.connect()
            socket.send_fds(connection, [data], fds) if fds else connection.send(data)
            connection.close()
        os.close(null)
        self.assert_alive()
        wait_until(lambda: self.zygote.descriptors() == before)

    def test_garbage_from_a_guest(self):
        null = os.open("/dev/null", os.O_RDWR)
        before = self.zygote.descriptors()
        messages = [
            (b"y\0", 6),
            (REQUEST, 6),
            (REQUEST + b"\0", 0),
            (REQUEST + b"\0", 5),
            (REQUEST + b"\0", 8),
            (REQUEST + b"\0", 20),
            (REQUEST + b"\1", 6),  # fewer files than announced
            (REQUEST + b"\x11", 23),
            (REQUEST + b"\xff", 7),
            (REQUEST + b"\0\0", 6),
            (b"x" * 150_000, 6),
            (b"x" * 150_000, 40),
        ]
        for data, count in messages:
            link = self.zygote.box()
            socket.send_fds(link, [data], [null] * count) if count else link.send(data)
            link.settimeout(DEADLINE)
            self.assertEqual(link.recv(10), b"", (data[:20], count))  # the box is dropped
            link.close()
        self.assert_alive()
        wait_until(lambda: self.zygote.descriptors() == before)
        os.close(null)

    def test_a_command_that_cannot_be_read_ends_the_child(self):
        for tail in (b"\xff" * 8, b"", b"\x01\0\0\0\xff\xff\xff\xff"):
            message = exec_args([], [], str(FOLDER))[:-8] + tail
            reading, writing = os.pipe()
            null, args = os.open("/dev/null", os.O_RDWR), file_with(message)
            socket.send_fds(self.link, [REQUEST + b"\0"], [null, null, null, writing, args, null])
            for fd in (writing, null, args):
                os.close(fd)
            with os.fdopen(reading, "rb") as report:
                self.assertEqual(struct.unpack("<i", report.read()[40:])[0], 127 << 8)
        self.assert_alive()

    def test_no_words_at_all(self):
        self.assertEqual(Execution(self.link, []).outcome()[0], 0)  # an interpreter that reads an empty input

    def test_odd_environments(self):
        for env in (["NOEQUALS", "=x", "A=1", "A=2", b"B=\xff", "LONG=" + "x" * 10_000],):
            fds = [os.open("/dev/null", os.O_RDWR)]
            out = os.pipe()
            report = os.pipe()
            code = "import os; print(os.environ.get('A'), os.environb.get(b'B'), 'NOEQUALS' in os.environ)"
            args = file_with(exec_args(["python3", "-c", code], env, str(FOLDER)))
            socket.send_fds(self.link, [REQUEST + b"\0"], [fds[0], out[1], fds[0], report[1], args, fds[0]])
            for fd in (fds[0], out[1], report[1], args):
                os.close(fd)
            with os.fdopen(out[0]) as file, os.fdopen(report[0], "rb"):
                self.assertEqual(file.read(), "1 b'\\xff' False\n")


class PreloadPlain(unittest.TestCase):
    def zygote(self, *words, **named):
        zygote = Zygote("--no-ipython", *words, **named)
        self.addCleanup(zygote.close)
        return zygote

    def outcome(self, zygote, code):
        with zygote.box() as link:
            return Execution(link, ["python3", "-c", code]).outcome()

    def modules(self, **sources):
        folder = FOLDER / f"modules-{time.monotonic_ns()}"
        folder.mkdir()
        for name, source in sources.items():
            (folder / f"{name}.py").write_text(source)
        return str(folder)

    def test_modules_are_loaded_once(self):
        folder = self.modules(
            counted="import ctypes\nprint('loading')\nctypes.CDLL(None).puts(b'from C')\nvalue = []"
        )
        zygote = self.zygote("counted", "decimal", env={"PYTHONPATH": folder})
        self.assertEqual((zygote.ready["loaded"], zygote.ready["missing"]), (["counted", "decimal"], {}))
        self.assertEqual(self.outcome(zygote, "import counted; print(counted.value)"), (0, b"[]\n", b""))

    def test_modules_that_do_not_load(self):
        folder = self.modules(
            raises="raise ValueError('not today')",
            leaves="import sys; sys.exit('leaving')",
            quits="import os; os._exit(3)",
            hangs="import time\ntime.sleep(1000)",
            stubborn="import time\ntry:\n    time.sleep(1000)\nexcept BaseException:\n    time.sleep(1000)",
            wrong="x = = 1",
            closes="import os\nos.closerange(3, 50)\nos.chdir('/')\nvalue = 1",
            good="value = 2",
        )
        zygote = self.zygote(
            "raises",
            "leaves",
            "quits",
            "hangs",
            "stubborn",
            "wrong",
            "nosuch",
            "closes",
            "good",
            env={"PYTHONPATH": folder, "ATOLL_ZYGOTE_IMPORT": "0.3"},
        )
        self.assertEqual(zygote.ready["loaded"], ["closes", "good"])
        missing = zygote.ready["missing"]
        self.assertEqual(
            sorted(missing), ["hangs", "leaves", "nosuch", "quits", "raises", "stubborn", "wrong"]
        )
        self.assertIn("not today", missing["raises"])
        self.assertIn("sys.exit", missing["leaves"])
        self.assertIn("os._exit(3)", missing["quits"])
        self.assertIn("more than", missing["hangs"])
        self.assertIn("nosuch", missing["nosuch"])
        self.assertEqual(self.outcome(zygote, "import good; print(good.value)"), (0, b"2\n", b""))

    def test_a_module_that_blocks_for_good(self):
        """In C code that no signal gets through to: then there is no zygote, and the launcher sees that."""
        folder = self.modules(
            blocks=(
                "import ctypes, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\n"
                "ctypes.PyDLL(None).pause()"
            )
        )
        zygote = self.zygote(
            "blocks", env={"PYTHONPATH": folder, "ATOLL_ZYGOTE_LOAD": "1", "ATOLL_ZYGOTE_IMPORT": "0.2"}
        )
        self.assertIsNone(zygote.ready)
        self.assertEqual(zygote.process.wait(DEADLINE), 1)

    def test_threads_are_told(self):
        folder = self.modules(
            threaded="import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()"
        )
        self.assertEqual(self.zygote("threaded", env={"PYTHONPATH": folder}).ready["threads"], 1)

    def test_open_files_of_modules_do_not_hurt_children(self):
        folder = self.modules(
            opened="import atexit, os, tempfile\nfile = open('/dev/null', 'w')\natexit.register(file.close)"
        )
        zygote = self.zygote("opened", env={"PYTHONPATH": folder})
        path = FOLDER / "beside"
        code = (
            f"import opened\nfiles = [open({str(path)!r} + str(i), 'w') for i in range(40)]\n"
            "print(files[0].fileno())\n[f.write('x' * 1000) for f in files]\nopened.file.write('y')"
        )
        self.assertEqual(self.outcome(zygote, code), (0, b"3\n", b""))
        self.assertEqual([len((FOLDER / f"beside{i}").read_text()) for i in range(40)], [1000] * 40)

    def test_one_that_hangs_makes_room_for_the_next(self):
        mark = FOLDER / "hang now"
        hook = f"lambda: os.path.exists({str(mark)!r}) and time.sleep(1000)"
        folder = self.modules(hangs=f"import os, time\nos.register_at_fork(before={hook})")
        zygote = self.zygote("hangs", env={"PYTHONPATH": folder, "ATOLL_ZYGOTE_STUCK": "3"})
        mark.touch()
        self.addCleanup(mark.unlink)
        execution = Execution(zygote.box(), ["python3", "-c", "print(1)"])
        self.assertEqual(zygote.process.wait(DEADLINE), -signal.SIGALRM)
        self.assertEqual(execution.outcome()[1], b"")

    def test_it_leaves_when_nobody_needs_it(self):
        zygote = self.zygote(env={"ATOLL_ZYGOTE_IDLE": "0.2"})
        self.assertEqual(zygote.process.wait(DEADLINE), 0)

    def test_it_stays_while_a_box_is_linked(self):
        zygote = self.zygote(env={"ATOLL_ZYGOTE_IDLE": "0.05"}, boxes=1)
        code = "import time; time.sleep(0.3); print('late')"
        self.assertEqual(Execution(zygote.early[0], ["python3", "-c", code]).outcome()[1], b"late\n")
        self.assertEqual(Execution(zygote.early[0], ["python3", "-c", "print(2)"]).outcome()[1], b"2\n")
        zygote.early[0].close()
        self.assertEqual(zygote.process.wait(DEADLINE), 0)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


if __name__ == "__main__":
    unittest.main()
