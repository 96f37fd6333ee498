"""Limits: that they hold, and that nonsense is refused."""
import os
import unittest

import support
from support import run, start

HOST_MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
# Programs that go beyond a limit.
HUNGRY = "x = bytearray(200 << 20); print('got it')"
FORKS = ("import os, time\nn = 0\ntry:\n  while n < 200:\n    if os.fork() == 0: time.sleep(600); os._exit(0)\n    n += 1\n"
         "except OSError as error: print(error.strerror)\nprint(n < 30)")
FORKS_HELD = "Resource temporarily unavailable\nTrue\n"  # with --pids 20
BURN = ("import time\nbefore = time.process_time()\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\n"
        "print(time.process_time() - before < 0.9)")  # with --cpus 0.25
needs_root = unittest.skipUnless(support.IS_ROOT, "needs cgroups")


class Held(support.Case):
    @needs_root
    # covers: C30
    def test_memory(self):
        self.expect(run("--memory", "64m", "-c", HUNGRY), code=137, out="")
        self.expect(run("--memory", "400m", "-c", HUNGRY), out="got it\n")
        result = self.json("--memory", "64m", "-c", HUNGRY)
        self.assertEqual((result["oom"], result["exit_code"], result["timed_out"]), (True, 137, False))

    @needs_root
    def test_pids(self):
        self.expect(run("--pids", "20", "-c", FORKS), out=FORKS_HELD)

    @needs_root
    def test_cpus(self):
        self.expect(run("--cpus", "0.25", "-c", BURN), out="True\n")

    def test_disk(self):
        fill = ("try:\n  with open('/workspace/f', 'wb', buffering=0) as f:\n    for i in range(64): f.write(bytes(1 << 20))\n"
                "except OSError as error: print(error.strerror)")
        self.expect(run("--disk", "8m", "-c", fill), out="No space left on device\n")
        self.expect(run("--disk", "100m", "-c", fill), out="")

    def test_inodes(self):
        fill = "try:\n  for i in range(1000): open(f'/tmp/{i}', 'w').close()\nexcept OSError as error: print(error.strerror)"
        self.expect(run("--inodes", "100", "-c", fill), out="No space left on device\n")

    def test_open_files(self):
        fill = "try:\n  l = [open('/dev/null') for i in range(200)]\nexcept OSError as error: print(error.strerror)"
        self.expect(run("--open-files", "64", "-c", fill), out="Too many open files\n")

    # covers: C30
    def test_timeout(self):
        # The programs would go on for longer than run() waits.
        self.expect(run("--timeout", "300ms", "--", "sleep", "600"), code=124)
        result = self.json("--timeout", "3s", "--", "sh", "-c", "echo early; sleep 600")
        self.assertEqual((result["timed_out"], result["exit_code"], result["stdout"]), (True, 124, "early\n"))
        self.expect(run("--timeout", "0", "--", "true"))

    def test_timeout_does_not_wait_for_a_reader_that_does_not_read(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        process = start("--timeout", "300ms", "--", "yes", stdout=writer)
        os.close(writer)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 124, err)
        self.assertNotIn(b"did not end after its time-out", err)

    def test_timeout_reaches_everything(self):
        stubborn = "trap '' TERM INT; sleep 600 & sleep 600 & wait; sleep 600"
        self.expect(run("--timeout", "300ms", "-l", "sh", "-c", stubborn), code=124)


class Refused(support.Case):
    def refused(self, option, value, *mentions):
        outcome = self.expect_failure(run(option, value, "--", "true"), "invalid_argument")
        for text in (option, *mentions):
            self.assertIn(text, outcome.err)

    def test_zero_and_below(self):
        for option in ("--memory", "--cpus", "--pids", "--disk", "--inodes", "--open-files", "--max-output"):
            self.refused(option, "0", "to")
            self.refused(option, "-1", "negative")

    def test_not_a_number(self):
        for option in ("--memory", "--cpus", "--pids", "--disk", "--inodes", "--open-files", "--timeout"):
            for value in ("lots", "", "1x", "1e9", "0x10", "nan", "١"):
                self.refused(option, value)
        self.refused("--pids", "1.5")
        self.refused("--timeout", "-1s", "negative")

    def test_absurd_and_more_than_the_host_has(self):
        self.refused("--memory", str(HOST_MEMORY + (1 << 20)), "4m to")
        self.refused("--memory", "1", "4m to")
        self.refused("--memory", "99999999999999999999999g")
        self.refused("--memory", "8000000t")
        self.refused("--cpus", str(os.cpu_count() + 1), f"0.01 to {os.cpu_count()}")
        self.refused("--cpus", "0.001", "0.01 to")
        self.refused("--pids", "1", "2 to")
        self.refused("--pids", "99999999999", "2 to")
        self.refused("--disk", "8000000t", "64k to")
        self.refused("--timeout", "99999999d")
        self.refused("--timeout", "31d", "30d")

    def test_the_smallest_allowed_can_be_asked_for(self):
        if support.IS_ROOT:
            self.expect(run("--memory", "16m", "--cpus", "0.05", "--disk", "64k", "--", "true"))


if __name__ == "__main__":
    support.main()
