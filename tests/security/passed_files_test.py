#!/usr/bin/env python3
"""What a hijacked guest can pass to a hijacked server: files of control groups, which the server then writes to.

usage: passed_files_test.py --build DIR

The kernel asks whoever opened such a file for his rights, and looks numbers up in the pid namespace of whoever
writes: the server's, which is the host's. So the files in a sandbox may let in nobody but its own processes.
"""

import ctypes
import errno
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from zygote_case import ZygoteCase

SERVER = 61235  # nobody on a Debian host
PIDFD_GETFD = 438
UNIFIED = Path("/sys/fs/cgroup/cgroup.controllers").exists()
libc = ctypes.CDLL(None, use_errno=True)


def attempt(fd, pid):
    try:
        os.write(fd, str(pid).encode())
        return "moved"
    except OSError as error:
        return errno.errorcode[error.errno]


class PassedFilesTest(ZygoteCase):
    def group_files(self, guest):
        """Copies of those that the guest holds: {path: descriptor}."""
        handle = os.pidfd_open(guest)
        self.addCleanup(os.close, handle)
        found = {}
        for name, path in harness.links_of(guest).items():
            if Path(path).name not in ("tasks", "cgroup.procs"):
                continue
            found[f"{name} {path}"] = libc.syscall(PIDFD_GETFD, handle, int(name), 0)
            self.assertGreaterEqual(found[f"{name} {path}"], 0, os.strerror(ctypes.get_errno()))
            self.addCleanup(os.close, found[f"{name} {path}"])
        return found

    def root_files(self, guest):
        """The same files as root opens them."""
        found = {}
        for line in harness.read(f"/proc/{guest}/cgroup").split():
            _, controllers, path = line.split(":", 2)
            file = Path("/sys/fs/cgroup") / controllers / path[1:].replace("guest-", "slot-") / "cgroup.procs"
            if "/slot-" in str(file) and file.exists():
                found[str(file)] = os.open(file, os.O_WRONLY)
                self.addCleanup(os.close, found[str(file)])
        return found

    @staticmethod
    def put_back(pid, groups):
        for line in groups.split():
            _, controllers, path = line.split(":", 2)
            file = Path("/sys/fs/cgroup") / controllers / path[1:] / "cgroup.procs"
            if file.exists():
                file.write_text(str(pid))

    @staticmethod
    def as_server(files, targets):
        """What an unprivileged process of the host gets by writing: {target: its answers}."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setgroups([])
            os.setresgid(SERVER, SERVER, SERVER)
            os.setresuid(SERVER, SERVER, SERVER)
            answers = {name: sorted({attempt(fd, target) for fd in files.values()}) for name, target in targets.items()}
            os.write(writing, json.dumps(answers).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as file:
            answers = json.load(file)
        os.waitpid(pid, 0)
        return answers

    def program(self, **options):
        process = subprocess.Popen(["/bin/sleep", "600"], **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def running_in(self, box):
        mark = harness.marker()
        self.python(box, f"import os\nif os.fork() == 0: os.execv('/bin/sleep', ['{mark}', '600'])")
        found, = harness.poll_until(lambda: harness.with_marker(mark), 30)
        return found

    def check(self, key):
        neighbour, other_guest = self.guest_of(self.box)
        box, guest = self.guest_of(lambda: self.box(key))
        files = self.group_files(guest)
        self.assertTrue(files)
        self.assertEqual([path for path in files if "/slot-" not in path], [])  # of the user's leaf only
        targets = {"a program of root": self.program(), "the launcher": self.launcher.process.pid,
                   "a program of the server's uid": self.program(user=SERVER, group=SERVER, extra_groups=[]),
                   "another sandbox's guest": other_guest, "another sandbox's program": self.running_in(neighbour)}
        if key is not None and not UNIFIED:
            targets |= {"the keeper": self.keeper(), "the zygote": self.interpreter()}
        before = {name: harness.read(f"/proc/{pid}/cgroup") for name, pid in targets.items()}
        answers = self.as_server(files, targets)
        after = {name: harness.read(f"/proc/{pid}/cgroup") for name, pid in targets.items()}
        for name in [name for name in targets if after[name] != before[name]]:  # in the end they would be killed there
            self.put_back(targets[name], before[name])
        self.assertEqual(answers, {name: ["EACCES"] for name in targets})
        self.assertEqual(after, before)
        # They are for the sandbox's own, and what root opens is for all: the refusals above are about the opener.
        self.assertEqual(self.as_server(files, {"own": guest}), {"own": ["moved"]})
        self.assertEqual(self.as_server(self.root_files(guest), {"any": self.program()}),
                         {"any": ["moved"]})
        self.assertEqual(box.run("/bin/echo", "well"), ("well\n", 0))
        self.assertEqual(box.end()["status"], 0)

    def test_files_of_a_sandbox_move_nobody_else(self):
        self.check(None)

    def test_nor_do_those_of_a_zygotes_sandbox(self):
        self.zygote(modules="--no-ipython")
        self.check(self.key)


if __name__ == "__main__":
    zygote_case.main(__doc__)
