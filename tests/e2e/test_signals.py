"""Signals to atoll reach the program; the second SIGINT kills."""
import os
import signal
import subprocess
import time

import support
from support import start

READY = "print('ready', flush=True)"
LOYAL = f"import signal, time\nsignal.signal(signal.SIGTERM, lambda *a: exit(7))\n{READY}\ntime.sleep(30)"
STUBBORN = ("import signal, time\nsignal.signal(signal.SIGINT, lambda *a: print('got it', flush=True))\n"
            f"{READY}\nfor i in range(300): time.sleep(0.1)")


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

    def test_second_interrupt_ends_it_although_nobody_reads(self):
        process = start("--", "yes")
        self.addCleanup(process.kill)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(1.5), 130)
        process.communicate()

    def test_an_ignored_signal_stays_ignored(self):
        process = self.ready(LOYAL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(process.wait(60), 7)

    def test_a_blocked_reader_does_not_block_signals(self):
        process = start("--", "yes")
        self.addCleanup(process.kill)
        time.sleep(1)  # nobody reads: atoll's stdout is full by now
        process.terminate()
        self.assertEqual(process.wait(60), 143)
        process.communicate()

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
