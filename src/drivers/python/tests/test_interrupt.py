"""Interrupts: they end the user's code wherever it is, and only that."""

import ctypes
import os
import select
import signal
import textwrap
import unittest

from support import both_ways, wait_until


def state(process):
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


class Interrupt:
    def interrupted(self, code, before="", asleep=False):
        """Sends the signal once the code has said that it goes on, and waits, if it is to."""
        self.driver.send(f"import asyncio, os, signal, subprocess, sys, threading, time\n{before}\n{code}")
        self.driver.until("stdout", b"going")
        if asleep:
            wait_until(self.sleeps)
        self.driver.interrupt()
        run = self.driver.rest()
        self.assertEqual(((run.error or {}).get("ename"), run.status), ("KeyboardInterrupt", 130), run)
        return run

    def sleeps(self):
        return state(self.driver.process.pid) == "S"

    def test_a_loop(self):
        self.ok("kept = 'kept'")
        self.interrupted("print('going')\nwhile True: pass")
        self.assertEqual(self.ok("kept").plain, "'kept'")

    def test_sleep(self):
        self.interrupted("print('going')\ntime.sleep(1000)", asleep=True)

    def test_between_the_parts_of_a_cell(self):
        """The kernel sends the signal as the last statement closes a pipe; who sees it first is the driver."""
        setup = """
            import fcntl, os, signal
            F_SETSIG = 10
            reading, writing = os.pipe()
            fcntl.fcntl(reading, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(reading, F_SETSIG, signal.SIGINT)
            fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
            file = open(writing, "wb", 0)"""
        self.ok(textwrap.dedent(setup))
        run = self.run_code("del file\n'went on'")
        self.assertEqual(((run.error or {}).get("ename"), run.status), ("KeyboardInterrupt", 130), run)
        self.assertEqual(self.ok("1").plain, "1")

    def test_a_system_call_that_missed_it(self):
        """It came just before the call, or here to another thread: Python looks for it when the call returns, and
        that is what the host's next signal is for."""
        self.driver.send(textwrap.dedent("""
            import threading, time
            def other():
                print(f"thread {threading.get_native_id()}")
                threading.Event().wait()
            threading.Thread(target=other, daemon=True).start()
            time.sleep(1000)"""))
        thread = int(self.driver.until("stdout", b"thread")[-1][1].split()[1])
        pid = self.driver.process.pid
        wait_until(lambda: all(state(f"{pid}/task/{task}") == "S" for task in os.listdir(f"/proc/{pid}/task")))
        self.assertEqual(ctypes.CDLL(None).tgkill(pid, thread, signal.SIGINT), 0)

        def nudged():  # the first may come before the thread has had its signal
            os.kill(pid, signal.SIGURG)
            return select.select([self.driver.socket], [], [], 0.05)[0]

        wait_until(nudged)
        run = self.driver.rest()
        self.assertEqual(((run.error or {}).get("ename"), run.status), ("KeyboardInterrupt", 130), run)

    def test_a_program(self):
        self.interrupted("print('going')\nsubprocess.run(['sleep', '1000'])", asleep=True)
        self.driver.send("import os, time\nos.system('echo up; exec sleep 1000')\ntime.sleep(1000)")
        wait_until(lambda: b"up" in self.driver.pipes["stdout"])
        self.driver.interrupt()
        self.assertEqual(self.driver.rest().status, 130)

    def test_a_lock_and_a_thread(self):
        self.interrupted("print('going')\nthreading.Event().wait()", asleep=True)
        self.interrupted(
            "print('going')\nthread.join()",
            asleep=True,
            before=(
                "release = threading.Event()\nthread = threading.Thread(target=release.wait)\nthread.start()"
            ),
        )
        self.ok("release.set(); thread.join()")

    def test_reading_a_pipe(self):
        self.interrupted("print('going')\nos.read(os.pipe()[0], 1)", asleep=True)

    def test_await(self):
        self.interrupted("print('going')\nawait asyncio.sleep(1000)", asleep=True)
        self.interrupted("await spin()", before="async def spin():\n    print('going')\n    while True: pass")
        run = self.interrupted(
            "await nap()",
            asleep=True,
            before=(
                "async def nap():\n    try:\n        print('going')\n        await asyncio.sleep(1000)\n"
                "    finally:\n        print('cleaned')"
            ),
        )
        self.assertEqual(run.out, "cleaned\n")
        self.assertEqual(self.ok("await asyncio.sleep(0, 6)").plain, "6")

    def test_asyncio_run(self):
        self.interrupted("print('going')\nasyncio.run(asyncio.sleep(1000))", asleep=True)

    def test_printing_without_end(self):
        """Whatever the signal hits, the messages stay whole."""
        for _ in range(20):
            self.interrupted("print('going')\nwhile True: print('x' * 50)")
        self.interrupted("print('going')\nwhile True: print('y' * 200_000)")
        self.assertEqual(self.ok("'whole'").plain, "'whole'")

    def test_a_value_that_takes_long_to_show(self):
        self.driver.send(
            "class Slow:\n    def __repr__(self):\n        print('going')\n        while True: pass\nSlow()"
        )
        self.driver.until("stdout", b"going")
        self.driver.interrupt()
        self.assertEqual(self.driver.rest().status, 130)

    def test_the_traceback_shows_where(self):
        text = self.interrupted(
            "here()", before="def here():\n    print('going')\n    while True: pass"
        ).error["traceback"]
        self.assertIn("in here\n", text)
        self.assertNotIn("atoll", text)

    def test_code_that_catches_it(self):
        self.driver.send(
            "import time\ntry:\n    print('going')\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n   "
            " print('caught')\n8"
        )
        self.driver.until("stdout", b"going")
        self.driver.interrupt()
        run = self.driver.rest()
        self.assertEqual((run.out, run.plain, run.status), ("caught\n", "8", 0))

    def test_twice(self):
        self.driver.send(
            "import time\ntry:\n    print('going')\n    time.sleep(1000)\nfinally:\n    print('again')\n   "
            " time.sleep(1000)"
        )
        self.driver.until("stdout", b"going")
        self.driver.interrupt()
        self.driver.until("stdout", b"again")
        self.driver.interrupt()
        self.assertEqual(self.driver.rest().status, 130)

    def test_nothing_is_running(self):
        for _ in range(50):
            self.driver.interrupt()
        self.assertEqual(self.ok("1").plain, "1")
        for _ in range(200):
            os.kill(self.driver.process.pid, signal.SIGINT)
            run = self.run_code("2")  # may be hit or not, but ends in one of two ways
            self.assertIn((run.plain, run.status), (("2", 0), (None, 130)), run)
        self.assertEqual(self.ok("3").plain, "3")

    def test_at_any_moment(self):
        """A storm while short runs come and go: every run ends, and the context lives."""
        driver = self.fresh()
        for i in range(300):
            driver.send("for i in range(200): print(i)\n[1, {'a': 2}]" if i % 2 else "1/0")
            driver.interrupt()
            run = driver.rest()
            self.assertIn(run.status, (0, 1, 130), run)
        self.assertEqual(driver.run("'alive'").plain, "'alive'")

    def test_a_handler_of_the_users(self):
        driver = self.fresh()
        driver.run("import os, signal\nsignal.signal(signal.SIGINT, lambda *_: print('mine'))")
        driver.interrupt()  # nothing runs: not for the user's handler
        self.assertEqual(driver.run("os.kill(os.getpid(), signal.SIGINT)").out, "mine\n")
        self.assertEqual(driver.run("5").plain, "5")

    def test_a_timer_that_raises_into_the_driver(self):
        """Of a user's timeout that was left behind: it may hit anything, and breaks nothing."""
        driver = self.fresh()
        driver.run(
            "import signal\nclass Late(TimeoutError): pass\ndef late(*_): raise Late()\n"
            "signal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)"
        )
        for i in range(200):
            run = driver.run("print('x' * 1000)\n'r'")
            self.assertIn(run.status, (0, 1), run)
        while driver.run("signal.setitimer(signal.ITIMER_REAL, 0)").error:
            pass
        self.assertEqual(driver.run("'quiet'").plain, "'quiet'")

    def test_a_timer_of_a_run_that_is_over(self):
        driver = self.fresh()
        driver.run(
            "import os, signal\nsignal.signal(signal.SIGALRM, lambda *_: print('late'))\nsignal.alarm(1)"
        )
        wait_until(lambda: pending_signals(driver.process.pid) & 1 << signal.SIGALRM - 1)
        self.assertEqual(driver.run("1").out, "")
        self.assertEqual(driver.run("os.kill(os.getpid(), signal.SIGALRM)").out, "late\n")

    def test_children_get_it_too(self):
        self.interrupted(
            "os.read(up[0], 1)\ntry:\n    print('going')\n    time.sleep(1000)\n"
            "finally:\n    status = os.waitpid(pid, 0)[1]",
            before=(
                "up = os.pipe()\npid = os.fork()\nif pid == 0:\n    os.write(up[1], b'x')\n"
                "    while True: time.sleep(1)"
            ),
            asleep=True,
        )
        self.assertNotEqual(self.ok("status").plain, "0")

    def test_an_exception_that_takes_long_to_tell(self):
        self.driver.send(
            "class Slow(Exception):\n    def __str__(self):\n        print('going')\n        while True:"
            " pass\nraise Slow()"
        )
        self.driver.until("stdout", b"going")
        self.driver.interrupt()
        self.assertEqual(self.driver.rest().error["ename"], "Slow")


def pending_signals(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(next(line for line in file if line.startswith("ShdPnd")).split()[1], 16)


both_ways(globals(), (Interrupt,))

if __name__ == "__main__":
    unittest.main()
