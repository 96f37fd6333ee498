#!/usr/bin/env python3
"""The launcher of a server: what it holds, what a hijacked server gets of it, and how it bears many requests.

usage: launcher_test.py --build DIR
"""

import ctypes
import errno
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from launcher_wire import (CREATE, DESTROY, FAILED, FREEZE, LIST, THAW, USAGE, Create, Launcher, Limits, header,
                           launcher_arguments)

MANY = int(os.environ.get("ATOLL_TEST_SANDBOXES", "2000"))
FORMATTER = 0x5FFD0000
# CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_ADMIN SYS_CHROOT SYS_PTRACE
# SYS_ADMIN SYS_RESOURCE MKNOD, as src/engine/launcher_walls.cpp gives the reason for each.
NEEDED = sum(1 << number for number in (0, 1, 2, 3, 5, 6, 7, 8, 10, 12, 18, 19, 21, 24, 27))
# SYS_ADMIN SYS_CHROOT SETUID SETGID SETPCAP MKNOD CHOWN DAC_OVERRIDE, as src/engine/mounts.cpp does.
MOUNTS_NEED = sum(1 << number for number in (0, 1, 6, 7, 8, 18, 21, 27))

LIBRARIES = ("/lib/", "/usr/lib/", "/etc/ld.so.cache")


def links_of(pid):
    """What the descriptors of a stopped process stand for."""
    return {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}


def stop(pid):
    """Stops a process; False when it ended instead."""
    def state():
        return harness.status_of(pid).get("State", "X")[0]
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    harness.poll_until(lambda: state() in "TZX", 30)
    return state() == "T"


def seccomp_filter(pid):
    """The newest filter of a process: (code, jump if true, jump if false, k) each."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    attach, detach, get_filter = 16, 17, 0x420C
    code = (ctypes.c_uint64 * 4096)()
    if libc.ptrace(attach, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(pid, 0)
    count = libc.ptrace(get_filter, pid, None, code)
    libc.ptrace(detach, pid, None, None)
    if count <= 0:
        raise OSError(ctypes.get_errno(), "PTRACE_SECCOMP_GET_FILTER")
    return [struct.unpack("<HBBI", struct.pack("<Q", word)) for word in code[:count]]


def verdict(code, arch, number):
    """What a filter of loads, comparisons and returns says to a call."""
    at, loaded = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x20:  # load: the number lies at 0, the architecture at 4
            loaded = {0: number, 4: arch}[value]
        elif operation in (0x15, 0x35):  # equal, at least
            at += yes if (loaded == value if operation == 0x15 else loaded >= value) else no
        else:
            assert operation == 0x06, hex(operation)
            return value


def children(pid):
    return [int(word) for word in harness.read(f"/proc/{pid}/task/{pid}/children").split()]


class LauncherTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def start(self, run="run", **options):
        launcher = Launcher(zygote_case.BUILD, f"{self.folder}/{run}", **options)
        self.addCleanup(launcher.end)
        return launcher

    def test_it_holds_what_it_needs(self):
        launcher = self.start()
        launcher.list()  # it has set itself up
        status = harness.status_of(launcher.process.pid)
        held = NEEDED & int(harness.status_of(os.getpid())["CapEff"], 16)
        self.assertEqual({name: int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")},
                         {"CapPrm": held, "CapEff": held, "CapBnd": held, "CapAmb": 0})
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Threads"]), ("1", "2", "1"))

    def test_what_it_starts_first_has_its_walls(self):
        """While it sets itself up it starts helpers already: they begin with its filter and its bounds."""
        programs = Path(self.folder, "programs")
        programs.mkdir()
        (programs / "atoll-guest").symlink_to(f"{zygote_case.BUILD}/bin/atoll-guest")
        shutil.copy("/bin/cat", programs / "atoll-mounts")  # it stays until its standard input ends
        words = launcher_arguments(zygote_case.BUILD, f"{self.folder}/run")
        words[words.index("--programs") + 1] = str(programs)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words[words.index("--control") + 1] = str(theirs.fileno())
        with theirs:
            launcher = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            def begun():
                return [pid for pid in children(launcher.pid) if harness.name_of(pid) not in ("", "atoll-launcher")]
            helper = harness.poll_until(begun, 60)[0]
            status = harness.status_of(helper)
            held = NEEDED & int(harness.status_of(os.getpid())["CapEff"], 16)
            self.assertEqual((status["NoNewPrivs"], status["Seccomp"], int(status["CapBnd"], 16)), ("1", "2", held))
        finally:
            ours.close()
            launcher.stdin.close()
            launcher.wait(60)

    def test_it_lends_no_files_of_root(self):
        for option in ("--mount-owner", "--mount-group"):
            words = launcher_arguments(zygote_case.BUILD, f"{self.folder}/run")
            words[words.index(option) + 1] = "0"
            refused = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("usage", refused.stderr)

    def test_it_lends_no_files_of_the_group_with_the_owners_number(self):
        """Uids and gids are numbers apart: only files of the server's own group are the sandbox's group's."""
        owner, group = 61235, 61236
        shared = Path(self.folder) / "shared"
        shared.mkdir()
        shared.chmod(0o755)
        for name, uid, gid, mode in (("same-number", 0, owner, 0o640), ("own-group", 0, group, 0o640),
                                     ("own", owner, group, 0o600), ("of-group-root", 0, 0, 0o640)):
            (shared / name).write_text(name)
            os.chown(shared / name, uid, gid)
            (shared / name).chmod(mode)
        folder = os.open(shared, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, folder)
        # With one number for both, as it was, that file can be read.
        for lent, readable in ((owner, {"own", "same-number"}), (group, {"own", "own-group"})):
            words = launcher_arguments(zygote_case.BUILD, f"{self.folder}/run-{lent}")
            words[words.index("--mount-owner") + 1] = str(owner)
            words[words.index("--mount-group") + 1] = str(lent)
            box = self.start(arguments=words).box("lent", mounts=[(folder, "/data", 1)])
            self.assertEqual(box.made["status"], 0, box.made)
            read = {name for name in os.listdir(shared) if box.run("/bin/cat", f"/data/{name}") == (name, 0)}
            self.assertEqual(read, readable)
            self.assertEqual(box.end()["status"], 0)

    def server_arguments(self):
        """How a server that root starts starts its launcher."""
        server = subprocess.Popen([f"{zygote_case.BUILD}/bin/atoll", "serve", "--listen", "127.0.0.1:0", "--data",
                                   f"{self.folder}/data", "--no-auth", "--set", "pool.size=0"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            def find():
                for pid in harness.descendants(server.pid):
                    if harness.name_of(pid) == "atoll-launcher":
                        return harness.read(f"/proc/{pid}/cmdline").split("\0")[:-1]
                return None
            return harness.poll_until(find, 60)
        finally:
            server.terminate()
            server.wait(60)

    def test_a_hijacked_server_of_root_writes_no_file_of_root(self):
        """It may open what anybody may, as `/`, and have that mounted for writing: nothing of root's is its own there."""
        words = self.server_arguments()
        self.assertTrue(words, "the server has no launcher")
        self.assertNotIn("--once", words)
        words[words.index("--run") + 1] = f"{self.folder}/run"
        secret = Path(self.folder) / "of-root"
        secret.write_text("root's")
        secret.chmod(0o644)
        launcher = self.start(arguments=words)
        root = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, root)
        box = launcher.box("hijacked", mounts=[(root, "/data", 0)])
        self.assertEqual(box.made["status"], 0, box.made)
        self.assertEqual(box.run("/bin/cat", f"/data{secret}"), ("root's", 0))  # it is the host's tree
        attempts = [f"echo x >> /data{secret}", f"echo x > /data{self.folder}/planted", f"rm -f /data{secret}",
                    f"chmod 777 /data{secret}", f"chown 1000 /data{secret}", f"mv /data{secret} /data{secret}2",
                    f"ln /data{secret} /data{self.folder}/linked", "mkdir /data/etc/planted", "cat /data/etc/shadow",
                    "echo x > /data/root/planted", "touch /data/etc/passwd"]
        for attempt in attempts:
            self.assertNotEqual(box.run("/bin/sh", "-c", attempt)[1], 0, attempt)
        self.assertEqual(secret.read_text(), "root's")
        self.assertEqual(sorted(os.listdir(self.folder)), ["data", "of-root", "run"])
        self.assertEqual(box.end()["status"], 0)

    def test_thousands_of_sandboxes_are_listed(self):
        launcher = self.start()
        small = Limits(memory=16 << 20, disk=1 << 20, inodes=0, cpu=100, pids=8, files=64, reserved=0)
        names = [f"many-{number}" for number in range(MANY)]
        try:
            for name in names:
                launcher.send(Create(header=header(CREATE, name), hostname=b"atoll", limits=small))
                answer = launcher.reply(CREATE)
                self.assertEqual(answer["status"], 0, (name, answer["step"], errno.errorcode.get(answer["errno"])))
            self.assertEqual(sorted(launcher.list()), sorted(names))
            def taken():
                groups = [harness.read(f"/proc/{pid}/cgroup") for pid in children(launcher.process.pid)]
                return {number for text in groups for number in re.findall(r"/guest-(\d+)$", text, re.M)}
            # The kernel's list of children may lack some while one of them ends.
            self.assertTrue(harness.poll_until(lambda: len(taken()) == MANY, 60), len(taken()))
            slots = taken()
            # The next launcher finds all of them by their records.
            launcher.end()
            launcher = self.start()
            self.assertEqual(sorted(launcher.list()), sorted(names))
        finally:
            for name in launcher.list():
                launcher.send(header(DESTROY, name))
                self.assertEqual(launcher.reply(DESTROY)["status"], 0)
        self.assertEqual(launcher.list(), [])
        launcher.end()
        # It keeps a few for the next; others of the host may have taken some in between.
        self.assertLess(len(slots & set(os.listdir("/run/atoll/slots"))), MANY // 2)

    def test_a_client_that_does_not_read_is_cut_off(self):
        """Its launcher neither waits for it nor grows without end; its sandboxes are the next one's."""
        launcher = self.start()
        launcher.send(Create(header=header(CREATE, "left"), hostname=b"atoll",
                             limits=Limits(64 << 20, 1 << 20, 0, 100, 8, 64, 0)))
        self.assertEqual(launcher.reply(CREATE)["status"], 0)
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            for _ in range(1 << 20):
                launcher.send(header(LIST))
        self.assertEqual(launcher.process.wait(60), 0)
        following = self.start()
        self.assertEqual(following.list(), ["left"])
        following.send(header(DESTROY, "left"))
        self.assertEqual(following.reply(DESTROY)["status"], 0)

    @staticmethod
    def with_disk(name, size):
        return Create(header=header(CREATE, name), hostname=b"atoll", limits=Limits(64 << 20, size, 0, 100, 8, 64, 0))

    def stopped_formatter(self, launcher):
        """Sends requests for a disk until one of their formatters is seen at work; stops it."""
        for attempt in range(50):
            launcher.send(self.with_disk(f"disk-{attempt}", 20 << 30))

            def find():
                keepers = [pid for helper in children(launcher.process.pid) for pid in children(helper)]
                for pid in [pid for keeper in keepers for pid in children(keeper)]:
                    if harness.name_of(pid) == "mkfs.ext4":
                        return pid
                return 0
            found = harness.poll_until(find, 2, step=0)
            while found and stop(found):
                if not any(link.startswith(LIBRARIES) for link in links_of(found)):
                    return found, f"disk-{attempt}"
                os.kill(found, signal.SIGCONT)  # the loader had one of its libraries open
            self.assertEqual(launcher.reply(CREATE)["status"], 0)
        raise AssertionError("no formatter was seen")

    def check_helper(self, helper, launcher):
        """atoll-mounts, which waits for the formatter: what it holds while it is at work."""
        self.assertEqual(harness.parent_of(helper), launcher.process.pid)
        self.assertEqual(os.path.basename(harness.read(f"/proc/{helper}/cmdline").strip("\0")), "atoll-mounts")
        status = harness.status_of(helper)
        held = MOUNTS_NEED & int(harness.status_of(os.getpid())["CapEff"], 16)
        self.assertEqual({name: int(status[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapBnd", "CapAmb")},
                         {"CapPrm": held, "CapEff": held, "CapInh": held, "CapBnd": held, "CapAmb": 0})
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Threads"]), ("1", "2", "1"))

    def test_nobody_waits_for_a_formatter(self):
        launcher = self.start()
        launcher.list()
        formatter, name = self.stopped_formatter(launcher)
        self.check_helper(harness.parent_of(harness.parent_of(formatter)), launcher)
        status = harness.status_of(formatter)
        self.assertEqual(set(status["Uid"].split() + status["Gid"].split()), {str(FORMATTER)})
        self.assertEqual({int(status[kind], 16) for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}, {0})
        self.assertEqual((status["NoNewPrivs"], status["Groups"]), ("1", ""))
        self.assertEqual({link for link in links_of(formatter) if link != "/dev/null" and "(deleted)" not in link}, set())
        for kind in ("pid", "net", "ipc"):
            self.assertNotEqual(harness.ns_of(formatter, kind), harness.ns_of(os.getpid(), kind), kind)
        self.assertNotIn(name, launcher.list())
        box = launcher.box("beside")
        self.assertEqual(box.made["status"], 0, box.made)
        self.assertEqual(box.run("/bin/true")[1], 0)
        os.kill(formatter, signal.SIGCONT)
        answer = launcher.reply(CREATE)
        self.assertEqual((answer["status"], answer["id"]), (0, name))
        self.assertEqual(box.end()["status"], 0)
        for left in launcher.list():
            launcher.send(header(DESTROY, left))
            self.assertEqual(launcher.reply(DESTROY)["status"], 0)

    def test_a_formatter_ends_with_its_helper(self):
        launcher = self.start()
        launcher.list()
        formatter, name = self.stopped_formatter(launcher)  # it would not end by itself
        os.kill(harness.parent_of(harness.parent_of(formatter)), signal.SIGKILL)
        answer = launcher.reply(CREATE)
        self.assertEqual((answer["status"], answer["id"]), (FAILED, name))
        self.assertTrue(harness.poll_until(lambda: harness.name_of(formatter) != "mkfs.ext4", 30))

    def test_a_sandbox_that_is_not_on_record_does_not_run(self):
        launcher = self.start()
        launcher.list()  # it has set itself up
        records = Path(self.folder, "run/boxes")
        records.write_text("no folder")
        self.assertEqual(launcher.box("lost").made["status"], FAILED)
        self.assertEqual(launcher.list(), [])
        records.unlink()
        box = launcher.box("lost")
        self.assertEqual(box.made["status"], 0, box.made)
        self.assertEqual(box.end()["status"], 0)

    def test_nobody_waits_for_a_pause(self):
        """Throttled processes stop late; whoever pauses them asks again, and the launcher never waits."""
        launcher = self.start()
        busy = launcher.box("busy", cpu=10)
        other = launcher.box("other")
        self.assertEqual((busy.made["status"], other.made["status"]), (0, 0))
        busy.run("/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done")

        def pause():
            launcher.send(header(FREEZE, "busy"))
            launcher.send(header(USAGE, "other"))
            asked, used = launcher.next_reply(), launcher.next_reply()
            self.assertEqual((asked["op"], used["op"], used["status"]), (FREEZE, USAGE, 0))
            self.assertIn((asked["status"], asked["errno"]), ((0, 0), (FAILED, errno.EINPROGRESS)))
            return asked["status"] == 0

        for _ in range(50):
            late = not pause()
            self.assertTrue(late or pause())  # what stands still stays so
            if late:
                self.assertTrue(harness.poll_until(pause, 30))
            launcher.send(header(THAW, "busy"))
            self.assertEqual(launcher.reply(THAW)["status"], 0)
            if late:
                break
        else:
            self.fail("everything stood still at once, every time")
        for box in (busy, other):
            self.assertEqual(box.end()["status"], 0)

    def test_a_pause_is_given_up_when_its_sandbox_ends(self):
        launcher = self.start()
        box = launcher.box("paused")
        for order in (THAW, DESTROY):
            launcher.send(header(FREEZE, "paused"))
            launcher.send(header(order, "paused"))
            self.assertEqual({launcher.next_reply()["op"] for _ in range(2)}, {FREEZE, order})
        box.socket.close()

    def test_a_slot_is_not_given_on_frozen(self):
        """Its guest is not in the frozen leaf, so it can end while its programs are paused."""
        launcher = self.start()
        paused = launcher.box("paused")
        self.assertEqual(paused.made["status"], 0)
        launcher.send(header(FREEZE, "paused"))
        self.assertEqual(launcher.reply(FREEZE)["status"], 0)
        guest, = [pid for pid in children(launcher.process.pid) if harness.name_of(pid) == "atoll-guest"]
        os.kill(guest, signal.SIGKILL)
        self.assertEqual(launcher.reply(DESTROY)["id"], "paused")
        paused.socket.close()
        following = launcher.box("following")
        self.assertEqual(following.made["status"], 0)
        self.assertEqual(following.end()["status"], 0)

    def test_a_folder_that_only_looks_like_a_layer(self):
        """A server with a user namespace can lay any folder over one of the store's (lay_over.py)."""
        secret = Path(self.folder, "secret")
        secret.mkdir(mode=0o700)
        layers = Path(self.folder, "disks/images/layers")
        for name in ("one", "two"):
            Path(layers, name, "tree").mkdir(parents=True)
        arguments = launcher_arguments(zygote_case.BUILD, f"{self.folder}/run")
        arguments[arguments.index("--disks") + 1] = f"{self.folder}/disks"
        launcher = self.start(arguments=arguments)
        layer = os.open(layers / "one", os.O_RDONLY)
        self.addCleanup(os.close, layer)
        self.assertEqual(self.from_layers(launcher, "control", [layer])["status"], 0)
        ours, theirs = socket.socketpair()
        server = subprocess.Popen([sys.executable, "-B", Path(__file__).with_name("lay_over.py"), str(theirs.fileno()),
                                   layers, "two", secret], pass_fds=[theirs.fileno()])
        theirs.close()
        self.addCleanup(server.wait, 60)
        self.addCleanup(ours.close)  # before that: it ends with its socket
        _, folders, _, _ = socket.recv_fds(ours, 1, 1)
        if not folders:
            self.assertEqual(server.wait(60), 2)
            print("this kernel lays nothing over a detached tree")
            return
        self.addCleanup(os.close, folders[0])
        self.assertTrue(os.path.samestat(os.stat("..", dir_fd=folders[0]), os.stat(layers)), "it looks like a layer")
        answer = self.from_layers(launcher, "attack", [layer, folders[0]])
        self.assertEqual((answer["status"], answer["errno"]), (FAILED, errno.EACCES))

    def from_layers(self, launcher, name, layers):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        with theirs:
            launcher.send(Create(header=header(CREATE, name), connected=1, hostname=b"atoll", layer_count=len(layers),
                                 limits=Limits(256 << 20, 64 << 20, 0, 2000, 64, 256, 0)), [*layers, theirs.fileno()])
        return launcher.reply(CREATE)

    def test_other_architectures_get_nothing(self):
        """The list of refused calls means other calls under the numbers of i386 and x32."""
        launcher = self.start()
        launcher.list()
        code = seccomp_filter(launcher.process.pid)
        x86_64, i386 = 0xC000003E, 0x40000003
        kill, allow, refuse, unknown = 0x80000000, 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
        self.assertEqual([verdict(code, x86_64, number) for number in (39, 101)], [allow, refuse])  # getpid, ptrace
        self.assertEqual([verdict(code, i386, number) for number in (20, 26)], [kill, kill])
        self.assertEqual([verdict(code, x86_64, 0x40000000 | number) for number in (39, 521)], [unknown, unknown])

    def test_disks_have_an_end(self):
        launcher = self.start()
        for size in (2 << 50, (1 << 40) + 1, 1 << 63):
            launcher.send(self.with_disk("huge", size))
            answer = launcher.reply(CREATE)
            self.assertEqual((answer["status"], answer["errno"]), (FAILED, errno.EINVAL), size)


if __name__ == "__main__":
    zygote_case.main(__doc__)
