"""Signals to atoll reach the program; the second SIGINT kills."""
import os
import select
import signal
import subprocess
import time

import support
from server import until
from support import start

READY = "print('ready', flush=True)"
LOYAL = f"import signal, time\nsignal.signal(signal.SIGTERM, lambda *a: exit(7))\n{READY}\ntime.sleep(30)"
STUBBORN = ("import signal, time\nsignal.signal(signal.SIGINT, lambda *a: print('got it', flush=True))\n"
            f"{READY}\nfor i in range(300): time.sleep(0.1)")
STUCK = 2  # seconds that a program's last words are waited for while nobody reads: src/cli/run/run_signals.cpp


def is_full(reader):
    """Whether whoever writes to this pipe has to wait."""
    writer = os.open(f"/proc/self/fd/{reader.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        return not select.select([], [writer], [], 0)[1]
    finally:
        os.close(writer)


class Signals(support.Case):
    def ready(self, code, *words, **more):
        process = start(*words, "-c", code, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def test_each_signal_ends_a_plain_program(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
            process = self.ready(f"import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\nimport time\n{READY}\ntime.sleep(30)")
            process.send_signal(number)
            self.assertEqual(process.wait(60), 128 + number)

    def test_the_program_may_handle_it(self):
        process = self.ready(LOYAL)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 7)

    def test_it_reaches_the_whole_group(self):
        process = start("-l", "sh", "-c", "trap 'exit 9' TERM; sleep 30 & echo ready; wait")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.terminate()
        self.assertEqual(process.wait(60), 9)
        process.communicate()

    def test_second_interrupt_kills(self):
        process = self.ready(STUBBORN)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), b"got it\n")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)

    def unread(self):
        """A program that writes and writes, and cannot go on."""
        process = start("--", "yes")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        until(lambda: is_full(process.stdout), "nobody reads")
        return process

    def test_second_interrupt_ends_it_although_nobody_reads(self):
        """At once: the first alone takes STUCK seconds, always. That it is quicker a busy machine may not show each time."""
        for _ in range(10):
            process = self.unread()
            began = time.monotonic()
            while process.poll() is None and time.monotonic() < began + 60:
                process.send_signal(signal.SIGINT)  # again and again: two that come at once are one
                time.sleep(0.05)
            self.assertEqual(process.wait(60), 130)
            if time.monotonic() - began < STUCK:
                return
        self.fail("it was never quicker than one interrupt")

    def test_an_ignored_signal_stays_ignored(self):
        process = self.ready(LOYAL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(process.wait(60), 7)

    def test_a_blocked_reader_does_not_block_signals(self):
        process = self.unread()
        process.terminate()
        self.assertEqual(process.wait(60), 143)

    def test_a_slow_reader_still_gets_everything(self):
        code = ("import signal, sys\ndef end(*a):\n  print('x' * 300000 + 'last words'); sys.exit(7)\n"
                f"signal.signal(signal.SIGTERM, end)\n{READY}\nsignal.pause()")
        process = self.ready(code)
        process.terminate()
        time.sleep(0.5)
        self.assertTrue(process.stdout.read().endswith(b"last words\n"))
        self.assertEqual(process.wait(60), 7)

    def test_killing_atoll_takes_the_sandbox_along(self):
        mark = f"31{os.getpid() % 1000:03}"
        process = start("--timeout", "0", "--", "sh", "-c", f"echo ready; exec sleep {mark}")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 60
        while subprocess.run(["pgrep", "-f", f"sleep {mark}"], capture_output=True).returncode == 0:
            self.assertLess(time.monotonic(), deadline, "the program outlived atoll")
            time.sleep(0.05)


if __name__ == "__main__":
    support.main()
