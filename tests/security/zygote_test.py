#!/usr/bin/env python3
"""Zygotes: what one may do (nothing), what it makes (an ordinary process of a sandbox), how it ends.

usage: zygote_test.py --build DIR

A hostile package is a script that the zygote's interpreter runs, asking for one thing after another.
Every question is first answered by the same script outside, as root, where the answer must be yes.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]

import cgroups
import harness
import zygote_case
from launcher_wire import FAILED, ZYGOTE, ZYGOTES, Zygote, header, lock_holder, places_of, zygote_key
from zygote_case import ZygoteCase, word_of

PYTHON = "/usr/bin/python3"

# Each question is harmless where it succeeds. `target` is a process of the test's own.
QUESTIONS = r"""
import ctypes, json, os, socket, sys
FACTS = json.loads(%(facts)r)
libc = ctypes.CDLL(None, use_errno=True)

def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")

def connect_host():
    socket.create_connection(("127.0.0.1", FACTS["port"]), 2).close()

def connect_abstract():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\0" + FACTS["abstract"])

def in_child(work):
    def ask():
        pid = os.fork()
        if pid == 0:
            try:
                work()
                os._exit(0)
            except BaseException:
                os._exit(1)
        if os.waitpid(pid, 0)[1] != 0:
            raise OSError("refused")
    return ask

def trace():
    must(libc.ptrace(16, FACTS["target"], 0, 0))  # PTRACE_ATTACH
    os.waitpid(FACTS["target"], 0)
    must(libc.ptrace(17, FACTS["target"], 0, 0))

QUESTIONS = {
    "become root": in_child(lambda: os.setresuid(0, 0, 0)),
    "read a secret of root": lambda: open(FACTS["secret"]).read(),
    "see a process of the host": lambda: os.stat("/proc/%%d" %% FACTS["target"]),
    "signal a process of the host": lambda: os.kill(FACTS["target"], 0),
    "enter a namespace of the host": in_child(lambda: must(libc.setns(os.open(FACTS["namespace"], os.O_RDONLY), 0))),
    "trace a process of the host": in_child(trace),
    "reach the host's network": connect_host,
    "reach the host's abstract sockets": connect_abstract,
    "make a user namespace": in_child(lambda: must(libc.unshare(0x10000000))),
    "make a mount namespace": in_child(lambda: must(libc.unshare(0x00020000))),
    "write into the run folder": lambda: open(FACTS["run"] + "/planted", "w").close(),
    "open a kernel keyring": lambda: must(libc.syscall(250, 0, -3, 1)),
}

def answers():
    found = {}
    for name, ask in QUESTIONS.items():
        try:
            ask()
            found[name] = "yes"
        except BaseException as error:
            found[name] = "no: " + type(error).__name__
    found["capabilities"] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")]
    return found
"""


class ZygoteTest(ZygoteCase):
    def test_it_reports_to_a_pipe_only(self):
        with tempfile.TemporaryFile() as file, socket.socket() as other:
            folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
            self.addCleanup(os.close, folder)
            for refused in (file.fileno(), other.fileno(), folder):
                self.launcher.send(Zygote(header(ZYGOTE, "zygote"), self.key), [refused])
                self.assertEqual(self.launcher.reply(ZYGOTE)["status"], FAILED)
        self.assertEqual(places_of(self.key), [])

    def test_a_hostile_package_gains_nothing(self):
        listener = socket.create_server(("127.0.0.1", 0))
        abstract = socket.socket(socket.AF_UNIX)
        abstract.bind("\0" + self.name)
        abstract.listen()
        target = subprocess.Popen(["/bin/sleep", "60"])
        secret = Path(self.folder.name) / "secret"
        secret.write_text("a secret")
        secret.chmod(0o600)
        self.addCleanup(target.wait)
        self.addCleanup(target.kill)
        self.addCleanup(listener.close)
        self.addCleanup(abstract.close)
        facts = json.dumps({"port": listener.getsockname()[1], "abstract": self.name, "target": target.pid,
                            "secret": str(secret), "run": self.folder.name, "namespace": f"/proc/{target.pid}/ns/uts"})
        script = QUESTIONS % {"facts": facts}

        bare = subprocess.run([PYTHON, "-c", script + "\nprint(json.dumps(answers()))"], capture_output=True,
                              text=True, timeout=60, check=True)
        outside = json.loads(bare.stdout)
        outside.pop("capabilities")
        (Path(self.folder.name) / "planted").unlink()
        self.assertEqual({name: "yes" for name in outside}, outside)

        _, pipe = self.launcher.start_zygote(self.key, script + "\nos.write(4, json.dumps(answers()).encode())")
        inside = word_of(pipe)
        self.assertEqual(inside.pop("capabilities"), ["0" * 16] * 5)
        self.assertEqual({name for name, answer in inside.items() if answer == "yes"}, set())
        self.assertEqual(set(inside), set(outside))

    def test_what_it_makes_is_an_ordinary_process_of_the_sandbox(self):
        self.zygote()
        box = self.box(key=self.key)
        self.assertEqual(box.made["zygote"], 1)
        told = self.python(box, "import os; print(os.getpid() > 1, os.getppid(), os.getuid(), os.getcwd(), "
                                "sorted(os.listdir('/proc/self/fd'))[:3], open('/proc/self/comm').read())")
        self.assertEqual(told.split("\n")[0], "True 1 1000 /workspace ['0', '1', '2'] python3")

    def test_one_that_still_loads_is_not_waited_for(self):
        script = "import signal; signal.pause()"
        reply, pipe = self.launcher.start_zygote(self.key, script)
        self.assertEqual(reply["zygote"], 1)
        again, other = self.launcher.start_zygote(self.key, script)
        self.assertEqual((again["status"], again["zygote"]), (0, 0))  # there is one already
        self.assertEqual(os.read(other, 1), b"")
        os.close(other)
        box = self.box(key=self.key)
        self.assertEqual(box.made["zygote"], 0)
        self.assertEqual(self.python(box, "print('plainly')"), "plainly\n")
        os.kill(self.interpreter(), signal.SIGKILL)
        self.assertEqual(os.read(pipe, 1), b"")
        os.close(pipe)

    def test_another_driver_is_another_zygote(self):
        """What a zygote runs is part of who it is: after an upgrade nobody gets the old one."""
        self.zygote()
        self.assertEqual(self.box(key=self.key).made["zygote"], 1)
        self.driver_file.write_text(self.driver() + "\n# of the next version\n")
        self.launcher = self.start_launcher("next")
        self.assertEqual(self.box(key=self.key).made["zygote"], 0)
        reply, pipe = self.launcher.start_zygote(self.key)
        self.assertEqual(reply["zygote"], 1)
        self.assertTrue(word_of(pipe)["ready"])
        self.assertEqual(self.box(key=self.key).made["zygote"], 1)
        self.assertEqual(len(places_of(self.key)), 2)

    def test_control_groups_of_those_that_are_gone_are_removed(self):
        """By the sweep of a launcher that ends; that of one that lives stays."""
        self.zygote()
        gone, = [number for number, _, _, _ in places_of(self.key)]
        staying = zygote_key(idle=600)
        self.addCleanup(lambda: self.end_zygotes(staying))
        reply, pipe = self.launcher.start_zygote(staying)
        self.assertTrue(word_of(pipe)["ready"], reply)
        stays, = [number for number, _, _, _ in places_of(staying)]

        def groups(number):
            return cgroups.named(f"zygote-{number}")
        self.assertTrue(groups(gone) and groups(stays))
        self.end_zygotes(self.key)
        sweeps = iter(range(1000))

        def swept():
            """A sweep passes them over while somebody on this host starts a zygote."""
            launcher = self.start_launcher(f"sweep-{next(sweeps)}")
            launcher.list()
            launcher.end()
            return not groups(gone) or self.taken(gone)  # by somebody else meanwhile
        self.assertTrue(harness.poll_until(swept, 60))
        self.assertTrue(groups(stays))

    @staticmethod
    def taken(number):
        """Whether a keeper holds that place."""
        with open(ZYGOTES / str(number), "rb") as file:
            return lock_holder(file.fileno()) != 0

    def test_modules_that_will_not_load(self):
        """Each is told; none takes the zygote or the others with it, but one that ends it from C."""
        modules = ("import sys, importlib.abc, importlib.util\n"
                   "CODE = {'raises': '1 / 0', 'leaves': 'import sys; sys.exit(3)', 'exits': 'import os; os._exit(3)'}\n"
                   "class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
                   "    def find_spec(self, name, path, target=None):\n"
                   "        return importlib.util.spec_from_loader(name, self) if name in CODE else None\n"
                   "    def exec_module(self, module):\n"
                   "        exec(CODE[module.__name__], vars(module))\n"
                   "sys.meta_path.insert(0, Finder())\n")
        names = "--no-ipython raises leaves exits no_such_module json"
        self.key.modules = names.encode()
        reply, pipe = self.launcher.start_zygote(self.key, modules + self.driver())
        self.assertEqual(reply["zygote"], 1)
        word = word_of(pipe)
        self.assertEqual(set(word["missing"]), {"raises", "leaves", "exits", "no_such_module"})
        self.assertIn("json", word["loaded"])
        self.assertEqual(self.python(self.box(key=self.key), "print(1)"), "1\n")

    def test_forks_do_not_share_randomness(self):
        self.zygote(modules="numpy" if (Path("/usr/lib/python3/dist-packages/numpy")).exists() else "random")
        code = ("import random, secrets, uuid, sys\n"
                "print(random.random(), secrets.token_hex(8), uuid.uuid4(), random.SystemRandom().random())\n"
                "if 'numpy' in sys.modules:\n"
                "    import numpy\n"
                "    print(numpy.random.rand(), numpy.random.default_rng().random())\n")
        seen = [self.python(self.box(key=self.key), code).split() for _ in range(4)]
        for column in zip(*seen):
            self.assertEqual(len(set(column)), len(column), column)

    def test_nothing_of_one_execution_is_in_the_memory_of_the_next(self):
        """The code of another sandbox, which may hold its secrets, in what a later fork can read."""
        self.zygote()
        secret = "s3cr3t-of-" + harness.marker()
        # Two halves that stand together nowhere in the searching process.
        look = ("first, second, found = %r.encode(), %r.encode(), False\n"
                "with open('/proc/self/mem', 'rb', 0) as memory:\n"
                "    for line in open('/proc/self/maps'):\n"
                "        if ' rw' not in line: continue\n"
                "        begin, end = (int(n, 16) for n in line.split()[0].split('-'))\n"
                "        memory.seek(begin)\n"
                "        pieces = memory.read(end - begin).split(first)\n"
                "        found |= any(piece.startswith(second) for piece in pieces[1:])\n"
                "print('found' if found else 'nothing')\n" % (secret[:12], secret[12:]))
        told = self.python(self.box(key=self.key), f"kept = {secret!r}\n" + look)
        self.assertEqual(told, "found\n")  # the search works
        for _ in range(3):  # from a spare, and by a plain fork
            self.assertEqual(self.python(self.box(key=self.key), look), "nothing\n")

    def test_an_oom_kill_inside_spares_the_zygote(self):
        pid = self.zygote()
        box = self.box(key=self.key, memory=64 << 20)
        _, code = box.run("python3", "-c", "x = bytearray(200 << 20); print(len(x))", zygote=True)
        self.assertEqual(code, 137)
        self.assertIn("zygote", harness.read(f"/proc/{pid}/cmdline"))
        self.assertEqual(self.python(self.box(key=self.key), "print(1)"), "1\n")

    def test_without_its_zygote_a_sandbox_goes_on_plainly(self):
        pid = self.zygote()
        box = self.box(key=self.key)
        self.assertEqual(self.python(box, "print('before')"), "before\n")
        os.kill(pid, signal.SIGKILL)
        harness.poll_until(lambda: not harness.read(f"/proc/{pid}/cmdline"), 60)
        self.assertEqual(self.python(box, "print('after')"), "after\n")
        self.assertEqual(self.box(key=self.key).made["zygote"], 0)
        again = self.zygote()  # replaced by another of the same key
        self.assertNotEqual(again, pid)
        self.assertEqual(self.box(key=self.key).made["zygote"], 1)

    def started(self, how):
        """A zygote with a module that starts a process as `how` says; (zygote, the process's mark)."""
        mark = harness.marker()
        return self.zygote(f"import os, subprocess\nmark = {mark!r}\n{how}\n" + self.driver(), "--no-ipython"), mark

    def test_what_a_module_has_started_ends_with_its_zygote(self):
        """However it was started; and nothing of that keeps the place once its sandboxes are gone."""
        for how in ("subprocess.Popen([mark, '600'], executable='/bin/sleep', start_new_session=True)",
                    "if os.fork() == 0: os.execv('/bin/sleep', [mark, '600'])",
                    "if os.fork() == 0:\n os.setsid()\n if os.fork() == 0: os.execv('/bin/sleep', [mark, '600'])\n os._exit(0)"):
            pid, mark = self.started(how)
            self.assertEqual(len(harness.poll_until(lambda: harness.with_marker(mark), 30)), 1, how)
            box = self.box(key=self.key)
            kept = harness.marker()
            self.python(box, f"import os\nif os.fork() == 0:\n os.execv('/bin/sleep', ['{kept}', '600'])")
            harness.poll_until(lambda: harness.with_marker(kept), 30)
            os.kill(pid, signal.SIGKILL)
            self.assertTrue(harness.poll_until(lambda: not harness.with_marker(mark), 30), how)
            self.assertEqual(len(harness.with_marker(kept)), 1)  # a sandbox's process is not the zygote's
            self.assertEqual(box.end()["status"], 0)
            self.assertTrue(harness.poll_until(lambda: not places_of(self.key), 30), how)

    def test_its_end_needs_no_launcher(self):
        """The keeper sees it, and makes room for the next one of the key."""
        pid, mark = self.started("if os.fork() == 0: os.execv('/bin/sleep', [mark, '600'])")
        self.assertEqual(len(harness.poll_until(lambda: harness.with_marker(mark), 30)), 1)
        self.launcher.end()
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(harness.poll_until(lambda: not harness.with_marker(mark), 30))
        self.assertTrue(harness.poll_until(lambda: not places_of(self.key), 30))
        self.launcher = self.start_launcher("next")
        self.assertNotEqual(self.zygote(), pid)

    def test_one_that_spins_is_held_to_one_processor(self):
        """By the kernel: it and what it starts are in a group with a quota of one."""
        pid = self.zygote("import os\n"
                          "for _ in range(3):\n"
                          "    if os.fork() == 0:\n"
                          "        while True: pass\n" + self.driver(), "--no-ipython")
        def group(process):
            groups = dict(line.split(":", 2)[1:] for line in harness.read(f"/proc/{process}/cgroup").splitlines())
            return next((f"{names}{path}" for names, path in groups.items() if "cpu" in names.split(",")), groups.get(""))
        # Others of its children come and go; those that spin stay.
        children = [child for child in harness.pids() if harness.parent_of(child) == pid]
        found = {child: group(child) for child in children}
        found = [found[child] for child in children if harness.status_of(child).get("State", "Z")[0] == "R"]
        self.assertGreaterEqual(len(found), 3)
        self.assertEqual(set(found), {group(pid)})
        limit = f"/sys/fs/cgroup/{group(pid)}/"
        quota = harness.read(limit + "cpu.max") or \
            harness.read(limit + "cpu.cfs_quota_us") + harness.read(limit + "cpu.cfs_period_us")
        self.assertEqual(quota.split(), ["100000", "100000"])
        self.assertEqual(self.python(self.box(key=self.key), "print(1)"), "1\n")

    def test_one_that_does_not_answer_is_none(self):
        pid = self.zygote()
        box = self.box(key=self.key)
        self.assertEqual(box.made["zygote"], 1)
        os.kill(pid, signal.SIGSTOP)
        self.assertEqual(self.python(box, "print('plainly')"), "plainly\n")
        os.kill(pid, signal.SIGCONT)
        # What it was asked then comes to nothing.
        def alone():
            return "python" not in box.run("/bin/sh", "-c", "cat /proc/[0-9]*/comm")[0]
        self.assertTrue(harness.poll_until(alone, 30))

    def waiting(self, box):
        """The pid, inside, of the interpreter that waits for something to run."""
        search = ("cd /proc; for one in [0-9]*; do\n"
                  "  if [ -e $one/fd/64 ] && grep -q zygote $one/cmdline && grep -q 'State:.S' $one/status\n"
                  "  then echo $one; fi\n"
                  "done 2> /dev/null")
        # With pauses: it is asked for when nothing has run for a moment.
        return int(harness.poll_until(lambda: box.run("/bin/sh", "-c", search)[0], 30, step=1.2))

    def test_the_next_interpreter_waits_inside(self):
        self.zygote()
        box = self.box(key=self.key)
        for _ in range(3):
            waiting = self.waiting(box)
            code = "import os; print(os.getpid(), os.getcwd(), len(os.listdir('/proc/self/fd')))"
            self.assertEqual(self.python(box, code), f"{waiting} /workspace 5\n")

    def test_one_that_waits_can_be_spared(self):
        self.zygote()
        box = self.box(key=self.key)
        for signal_name in ("KILL", "STOP", "INT", "TERM", "HUP"):
            waiting = self.waiting(box)
            self.assertEqual(box.run("/bin/kill", f"-{signal_name}", str(waiting))[1], 0)
            self.assertEqual(self.python(box, "print('here')"), "here\n", signal_name)

    def test_how_one_that_waited_ends(self):
        self.zygote()
        box = self.box(key=self.key)
        fork = "import os, sys, time\npid = os.fork()\nif pid == 0: %s\n"
        for code, said, status in (
                ("import sys; print('x' * 70000); sys.exit(3)", "x" * 70000 + "\n", 3),
                ("import sys; sys.exit('why')", "why\n", 1),
                ("import atexit; atexit.register(print, 'last'); print('first')", "first\nlast\n", 0),
                ("import os; print('gone', flush=True); os._exit(4)", "gone\n", 4),
                ("import os; os.kill(os.getpid(), 15)", "", 143),
                ("import os; os.execv('/bin/sh', ['sh', '-c', 'echo other; exit 5'])", "other\n", 5),
                (fork % "sys.exit(9)" + "os.waitpid(pid, 0); time.sleep(0.1); print('parent')", "parent\n", 0),
                ("import os; os.closerange(3, 4096); print('closed')", "closed\n", 0)):
            self.waiting(box)
            self.assertEqual(box.run("python3", "-c", code, zygote=True), (said, status), code)
        self.waiting(box)
        output, status = box.run("python3", "-c", "1/0", zygote=True)
        self.assertEqual((output.splitlines()[-1], status), ("ZeroDivisionError: division by zero", 1))
        self.waiting(box)  # the last: what it leaves behind holds the same socket as one that waits
        code = fork % "time.sleep(600)" + "print('parent')"
        self.assertEqual(box.run("python3", "-c", code, zygote=True), ("parent\n", 0))

    def test_an_end_that_was_made_up_is_the_codes_own_affair(self):
        """It goes on in the background, as any program may, and ends with its sandbox."""
        self.zygote()
        box = self.box(key=self.key)
        mark = harness.marker()
        self.waiting(box)
        code = ("import os, struct\n"
                "for fd in range(3, 4096):\n"
                "    try: os.write(fd, struct.pack('<6q', 42, 0, 0, 0, 0, 0))\n"
                "    except OSError: pass\n"
                f"os.execv('/bin/sleep', ['{mark}', '600'])")
        self.assertEqual(box.run("python3", "-c", code, zygote=True), ("", 42))
        self.assertEqual(len(harness.poll_until(lambda: harness.with_marker(mark), 30)), 1)
        self.assertEqual(self.python(box, "print('next')"), "next\n")
        self.assertEqual(box.end()["status"], 0)
        self.assertEqual(harness.with_marker(mark), [])

    def test_a_sandbox_with_running_copies_ends_at_once(self):
        self.zygote()
        box = self.box(key=self.key)
        mark = harness.marker()
        self.python(box, f"import os, subprocess\nif os.fork() == 0:\n os.execv('/bin/sleep', ['{mark}', '600'])")
        self.assertEqual(len(harness.poll_until(lambda: harness.with_marker(mark), 30)), 1)
        self.assertEqual(box.end()["status"], 0)
        self.assertEqual(harness.with_marker(mark), [])

    def test_sandboxes_that_end_while_they_are_entered_leave_the_zygote_whole(self):
        """Whoever is killed on the way in shares its memory, locks and all."""
        self.zygote()
        for _ in range(200):  # a guest asks for an interpreter as soon as it lives
            self.assertEqual(self.box(key=self.key).end()["status"], 0)
        self.assertGreater(self.waiting(self.box(key=self.key)), 1)

    def test_descriptors_of_a_zygote_do_not_add_up(self):
        """Spare children come and go meanwhile; each has a descriptor."""
        self.key.idle = 600  # it must not end meanwhile
        pid, spares = self.zygote(), 2

        def held():
            return len(os.listdir(f"/proc/{pid}/fd"))
        boxes = [self.box(key=self.key) for _ in range(5)]
        self.python(boxes[0], "pass")
        before = held()
        for _ in range(30):
            self.python(boxes[0], "pass")
        self.assertTrue(harness.poll_until(lambda: held() <= before + spares, 60), (before, held()))
        for box in boxes:
            box.end()
        least = before - len(boxes) + spares
        self.assertTrue(harness.poll_until(lambda: held() <= least, 60), (before, held()))


if __name__ == "__main__":
    zygote_case.main(__doc__)
