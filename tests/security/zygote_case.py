"""What tests of zygotes share: a launcher with a driver file of the test's own, and a key of its own."""

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

import harness
from launcher_wire import Launcher, places_of, zygote_key

BUILD = None


def word_of(pipe):
    with os.fdopen(pipe) as file:
        return json.loads(file.readline())  # what a module has started may hold the other end


class ZygoteCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.driver_file = Path(self.folder.name) / "driver.py"
        self.driver_file.write_text(self.driver())
        self.name = "test-" + harness.marker()[5:17]
        self.key = zygote_key(idle=600)  # end_zygotes() ends it; before, no delay of the test may
        self.addCleanup(lambda: self.end_zygotes(self.key))
        self.launcher = self.start_launcher("run")
        self.boxes = 0

    def start_launcher(self, folder):
        launcher = Launcher(BUILD, f"{self.folder.name}/{folder}", str(self.driver_file))
        self.addCleanup(launcher.end)
        return launcher

    @staticmethod
    def driver():
        return (Path(BUILD) / "bin/atoll-driver.py").read_text()

    @staticmethod
    def end_zygotes(key):
        """The end of a keeper is the end of its zygote and of all sandboxes below it."""
        def gone():
            for _, keeper, _, _ in places_of(key):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(keeper, signal.SIGKILL)
            return not places_of(key)
        harness.poll_until(gone, 30)

    def keeper(self, key=None):
        """The one that serves."""
        return next((pid for _, pid, _, serves in places_of(key or self.key) if serves), 0)

    def interpreter(self, key=None):
        """The launcher is told when it is forked: until it has become python3 it is not seen."""
        def find():
            keeper = self.keeper(key)
            return [pid for pid in harness.pids() if harness.parent_of(pid) == keeper
                    and harness.read(f"/proc/{pid}/cmdline").startswith("python3\0-\0zygote")]
        found = harness.poll_until(find, 60)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def zygote(self, script=None, modules=""):
        """A ready zygote that serves sandboxes of self.key, and its pid."""
        self.key.modules = modules.encode()
        reply, pipe = self.launcher.start_zygote(self.key, script)
        self.assertEqual(reply["status"], 0, reply)
        word = word_of(pipe)
        self.assertTrue(word["ready"], word)
        return self.interpreter()

    def box(self, key=None, **options):
        self.boxes += 1
        box = self.launcher.box(f"{self.name}-{self.boxes}", key, **options)
        self.addCleanup(box.socket.close)
        self.assertEqual(box.made["status"], 0, box.made)
        return box

    def guest_of(self, make):
        """A new sandbox and its guest, which has done what it does at its start."""
        before = set(harness.descendants(self.launcher.process.pid))
        box = make()
        self.assertEqual(box.run("/bin/true"), ("", 0))
        guest, = (pid for pid in harness.descendants(self.launcher.process.pid)
                  if pid not in before and harness.name_of(pid) == "atoll-guest")
        return box, guest

    def python(self, box, code):
        output, exit_code = box.run("python3", "-c", code, zygote=True)
        self.assertEqual(exit_code, 0, output)
        return output


def main(description):
    global BUILD
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", required=True)
    args, rest = parser.parse_known_args()
    BUILD = str(Path(args.build).resolve())
    if os.geteuid() != 0:
        print("SKIP: zygotes need root")
        sys.exit(77)
    rest += [f"-k={one}" for one in os.environ.get("ATOLL_TEST_CASES", "*").split(":")]
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
