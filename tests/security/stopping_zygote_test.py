#!/usr/bin/env python3
"""A zygote whose preloaded module stops pid 1 of its sandboxes while they are built: nobody else waits for that.

usage: stopping_zygote_test.py --build DIR

The module owns the user namespaces of its sandboxes, so it may signal pid 1 from the first moment, and enter from
its exec on. One that enters can leave a child in there that it never reaps, and pid 1 does not end before that.
"""

import errno
import json
import os
import signal
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from launcher_wire import CREATE, FAILED, Create, Limits, header
from zygote_case import ZygoteCase

STOPPER = r"""
import ctypes, fcntl, os, signal, time
libc = ctypes.CDLL(None, use_errno=True)
report = fcntl.fcntl(4, fcntl.F_DUPFD_CLOEXEC, 900)
WHOLE = 0x7e020000  # all namespaces
LIFE = 300  # s

def is_box(pid):
    "Children of the launcher have no parent in here; before its exec nothing can be seen of one."
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[1] == "0"
    except OSError:
        return True

def stay_inside(pid):
    "Lets it run for a moment at a time until it can be entered, and keeps it from ending."
    signal.alarm(LIFE)
    handle = libc.syscall(434, pid, 0)  # pidfd_open
    while libc.setns(handle, WHOLE) != 0:
        os.kill(pid, signal.SIGCONT)
        os.kill(pid, signal.SIGSTOP)
    if os.fork() == 0:
        time.sleep(LIFE)
        os._exit(0)
    time.sleep(LIFE)
    os._exit(0)

def watch(enter):
    signal.alarm(LIFE)
    last = os.getpid()
    os.write(report, b"watching\n")
    while True:
        for pid in range(last + 1, last + 64):
            try:
                os.kill(pid, signal.SIGSTOP)
            except OSError:
                continue
            last = pid
            if enter and is_box(pid):
                child = os.fork()
                if child == 0:
                    try:
                        stay_inside(pid)
                    finally:
                        os._exit(1)
                last = max(last, child)
            break

def on_signal(enter):
    def work(*_):
        if os.fork() == 0:
            watch(enter)
    return work

signal.signal(signal.SIGUSR1, on_signal(False))
signal.signal(signal.SIGUSR2, on_signal(True))
"""


class StoppingZygoteTest(ZygoteCase):
    def attack(self, number):
        self.key.modules = b"--no-ipython"
        reply, pipe = self.launcher.start_zygote(self.key, STOPPER + self.driver())
        self.assertEqual(reply["status"], 0, reply)
        self.words = os.fdopen(pipe)
        self.addCleanup(self.words.close)
        self.assertTrue(json.loads(self.words.readline())["ready"])
        os.kill(self.interpreter(), number)
        self.assertEqual(self.words.readline(), "watching\n")
        self.assertEqual(self.launcher.find_zygote(self.key)["status"], 0)

    def ask_for(self, name, key=None):
        """Asks for a sandbox that takes a while to build, and does not wait for it."""
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        request = Create(header=header(CREATE, name), connected=1, hostname=b"atoll", rule_count=64,
                         limits=Limits(256 << 20, 64 << 20, 0, 2000, 64, 256, 0))
        for number, rule in enumerate(request.start.rules):
            rule.action, rule.path = 1, b"/usr/share" if number % 2 else b"/usr/include"
        if key is not None:
            request.use_zygote, request.zygote = 1, key
        self.launcher.send(request, [theirs.fileno()])
        theirs.close()

    def caught(self):
        """The name of a sandbox that was stopped in time. While it was built another one was asked for and made."""
        for attempt in range(100):
            hostile, other = f"{self.name}-try-{attempt}", f"{self.name}-other-{attempt}"
            self.ask_for(hostile, self.key)
            self.ask_for(other)
            first, second = self.launcher.reply(CREATE), self.launcher.reply(CREATE)
            self.assertEqual({first["id"], second["id"]}, {hostile, other})
            made = {reply["id"]: reply for reply in (first, second)}
            self.assertEqual(made[other]["status"], 0, made[other])
            if made[hostile]["status"] == FAILED:
                self.assertEqual(made[hostile]["errno"], errno.ETIMEDOUT)
                self.assertEqual(first["id"], other)  # it did not wait
                return hostile
        self.fail("no sandbox was stopped while it was built")

    def test_others_do_not_wait_for_one_that_is_stopped(self):
        self.attack(signal.SIGUSR1)
        stopped = self.caught()
        self.assertTrue(harness.poll_until(lambda: stopped not in self.launcher.list(), 30))
        later = self.box(self.key)
        self.assertEqual(later.made["zygote"], 0)  # no more of its sandboxes
        self.assertEqual(later.run("/bin/echo", "alive"), ("alive\n", 0))

    def test_nor_for_one_that_cannot_end(self):
        for _ in range(3):
            self.attack(signal.SIGUSR2)
            stuck = self.caught()
            if stuck in self.launcher.list():
                break
            self.end_zygotes(self.key)  # stopped, and killed before it was entered
        self.assertIn(stuck, self.launcher.list())
        self.assertEqual(self.box().run("/bin/echo", "alive"), ("alive\n", 0))
        self.assertEqual(self.box(self.key).made["zygote"], 0)
        self.ask_for(stuck)
        self.assertEqual(self.launcher.reply(CREATE)["errno"], errno.EEXIST)  # its name and its slot are taken
        self.end_zygotes(self.key)
        self.assertTrue(harness.poll_until(lambda: stuck not in self.launcher.list(), 30))
        self.ask_for(stuck)
        self.assertEqual(self.launcher.reply(CREATE)["status"], 0)


if __name__ == "__main__":
    zygote_case.main(__doc__)
