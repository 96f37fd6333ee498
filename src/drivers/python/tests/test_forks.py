"""Children of a context: processes that its code forks and programs that it starts."""

import os
import unittest

from support import both_ways


class Forks:
    def pipe_text(self, driver, name="stdout"):
        driver.close()
        return driver.pipes[name].decode()

    def test_control_socket_is_not_inherited(self):
        run = self.ok(
            "import os, subprocess\nsubprocess.run(['readlink', '/proc/self/fd/3']).returncode,"
            " os.get_inheritable(3)"
        )
        self.assertEqual(run.plain, "(1, False)")

    def test_a_forked_child_writes_to_the_descriptors(self):
        driver = self.fresh()
        run = driver.run(
            "import os, sys\npid = os.fork()\nif pid == 0:\n    print('from the child')\n"
            "    print('and here', file=sys.stderr)\n    os._exit(0)\nos.waitpid(pid, 0)[1]"
        )
        self.assertEqual((run.plain, run.out, run.err), ("0", "", ""))
        driver.close()
        self.assertEqual(
            (driver.pipes["stdout"], driver.pipes["stderr"]), (b"from the child\n", b"and here\n")
        )

    def test_a_child_that_does_not_exit_ends_with_the_code(self):
        driver = self.fresh()
        run = driver.run(
            "import atexit, os\npid = os.fork()\nif pid == 0:\n    atexit.register(print, 'bye')\n"
            "    print('child')\nelse:\n    os.waitpid(pid, 0)\n    print('parent')"
        )
        self.assertEqual((run.out, run.status), ("parent\n", 0))
        self.assertEqual(driver.run("1").plain, "1")
        self.assertEqual(self.pipe_text(driver), "child\nbye\n")

    def test_a_child_that_fails(self):
        driver = self.fresh()
        run = driver.run(
            "import os\npid = os.fork()\nif pid == 0:\n    1/0\nos.WEXITSTATUS(os.waitpid(pid, 0)[1])"
        )
        self.assertEqual(run.plain, "1")
        run = driver.run(
            "pid = os.fork()\nif pid == 0:\n    raise SystemExit(9)\nos.WEXITSTATUS(os.waitpid(pid, 0)[1])"
        )
        self.assertEqual(run.plain, "9")
        self.assertIn("ZeroDivisionError", self.pipe_text(driver, "stderr"))

    def test_multiprocessing(self):
        self.ok(
            "import multiprocessing\ndef square(n): return n * n\nclass Thing:\n    def __init__(self, n):"
            " self.n = n\ndef thing(n): return Thing(n)"
        )
        self.assertEqual(
            self.ok(
                "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
                "    found = pool.map(square, range(5)), [t.n for t in pool.map(thing, [7])]\nfound"
            ).plain,
            "([0, 1, 4, 9, 16], [7])",
        )

    def test_process_pool(self):
        self.assertEqual(
            self.ok(
                "import concurrent.futures as cf, multiprocessing as mp\ndef cube(n): return n ** 3\n"
                "with cf.ProcessPoolExecutor(2, mp.get_context('fork')) as pool:\n"
                "    cubes = list(pool.map(cube, range(4)))\ncubes"
            ).plain,
            "[0, 1, 8, 27]",
        )

    def test_the_socket_ends_while_a_child_lives(self):
        driver = self.fresh()
        pid = int(
            driver.run(
                "import os, time\npid = os.fork()\nif pid == 0:\n    time.sleep(1000)\n    os._exit(0)\npid"
            ).plain
        )
        driver.socket.shutdown(2)
        try:
            self.assertEqual(driver.process.wait(60), 0)
        finally:
            os.kill(pid, 9)

    def test_programs_write_to_the_descriptors(self):
        driver = self.fresh()
        run = driver.run(
            "import os, subprocess, sys\nprint('before')\nos.system('echo one')\nsubprocess.run(['echo',"
            " 'two'], stdout=sys.stdout)\nsubprocess.call('echo three >&2', shell=True)"
        )
        self.assertEqual((run.out, run.plain), ("before\n", "0"))
        driver.close()
        self.assertEqual((driver.pipes["stdout"], driver.pipes["stderr"]), (b"one\ntwo\n", b"three\n"))

    def test_what_was_printed_is_read_before_a_program_starts(self):
        """The program looks how much of the socket is unread: nothing, though much was printed."""
        driver = self.fresh()
        run = driver.run(
            "import fcntl, os, subprocess\nfor i in range(100): print('line', i)\n"
            "def unread(): return int.from_bytes(fcntl.ioctl(3, 0x5411, bytes(4)), 'little')\n"
            "subprocess.run(['true'])\nunread()"
        )
        self.assertEqual(run.plain, "0")

    def test_output_of_c_code_comes_with_the_run(self):
        driver = self.fresh()
        driver.run("import ctypes\nctypes.CDLL(None).puts(b'from C')")
        driver.run("1")
        self.assertEqual(self.pipe_text(driver), "from C\n")

    def test_captured_output(self):
        self.assertEqual(
            self.ok("import subprocess\nsubprocess.check_output(['echo', 'caught'], text=True)").plain,
            "'caught\\n'",
        )


both_ways(globals(), (Forks,))

if __name__ == "__main__":
    unittest.main()
