#!/usr/bin/env python3
"""All sixteen places of zygotes are taken, and a seventeenth list of modules comes.

usage: seventeen_zygotes_test.py --build DIR

It has places and control groups of its own, in a mount namespace: those of the host are everybody's.
"""

import contextlib
import ctypes
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from launcher_wire import zygote_key
from zygote_case import ZygoteCase, word_of

CGROUPS = Path("/sys/fs/cgroup")
UNIFIED = (CGROUPS / "cgroup.controllers").exists()
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
LIBC = ctypes.CDLL(None, use_errno=True)
PLACES, EAGAIN = 16, 11


def must(done):
    if done != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount(source, target, kind=None, flags=0):
    must(LIBC.mount(str(source).encode(), str(target).encode(), kind, flags, None))


ROOTS = [CGROUPS] if UNIFIED else [CGROUPS / name for name in ("memory", "cpu", "cpuacct", "pids", "freezer")]


def enter_own_host(name):
    """What launchers share on a host, empty, and for this process and its children only."""
    must(LIBC.unshare(CLONE_NEWNS))
    mount("none", "/", flags=MS_REC | MS_PRIVATE)
    Path("/run/atoll").mkdir(exist_ok=True)
    mount("test", "/run/atoll", b"tmpfs")
    os.chmod("/run/atoll", 0o711)
    for root in ROOTS:
        if UNIFIED:
            for controller in ("+memory", "+cpu", "+pids"):
                (root / "cgroup.subtree_control").write_text(controller)
        (root / name).mkdir()
        mount(root / name, root, flags=MS_BIND)


def remove_groups(name):
    """False while processes that were killed are on their way out."""
    for root in ROOTS:
        for folder, _, _ in os.walk(root / name, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
    return not any((root / name).exists() for root in ROOTS)


class SeventeenTest(ZygoteCase):
    def start(self, key):
        reply, pipe = self.launcher.start_zygote(key)
        if reply["status"] == 0:
            self.assertTrue(word_of(pipe)["ready"])
        else:
            os.close(pipe)
        return reply

    def fill(self):
        keys = [zygote_key(idle=600) for _ in range(PLACES)]
        for key in keys:
            self.addCleanup(self.end_zygotes, key)
            reply = self.start(key)
            self.assertEqual(reply["status"], 0, reply)
        return keys

    def serving(self, keys):
        return [bool(self.keeper(key)) for key in keys]

    def test_the_one_that_nobody_needed_goes(self):
        keys = self.fill()
        lived = self.box(keys[1])  # its zygote is the next in age, and has a sandbox
        self.box(keys[0]).end()  # the oldest has been used since
        last = zygote_key(idle=600)
        self.addCleanup(self.end_zygotes, last)
        self.assertEqual(self.start(last)["status"], 0)
        self.assertEqual(self.serving([*keys, last]), [True, True, False] + [True] * 14)
        self.assertEqual(lived.run("/bin/echo", "here"), ("here\n", 0))
        self.assertEqual(self.python(lived, "print(1)"), "1\n")

    def test_none_goes_that_has_sandboxes(self):
        keys = self.fill()
        boxes = [self.box(key) for key in keys]
        last = zygote_key(idle=600)
        self.addCleanup(self.end_zygotes, last)
        reply = self.start(last)
        self.assertEqual((reply["status"], reply["errno"]), (1, EAGAIN), reply)
        self.assertEqual(self.serving(keys), [True] * PLACES)
        for box in boxes:
            self.assertEqual(box.run("/bin/echo", "here"), ("here\n", 0))
        boxes[5].end()
        self.assertEqual(self.start(last)["status"], 0)
        self.assertEqual(self.serving(keys), [number != 5 for number in range(PLACES)])


if __name__ == "__main__":
    own = f"atoll-seventeen-{os.getpid()}"
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            enter_own_host(own)
        zygote_case.main(__doc__)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    harness.poll_until(lambda: remove_groups(own), 60)
    sys.exit(status if remove_groups(own) else 1)
