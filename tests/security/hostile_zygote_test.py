#!/usr/bin/env python3
"""A zygote whose preloaded module is hostile: it has power over the sandboxes of its own key, and nothing else.

usage: hostile_zygote_test.py --build DIR

The module copies every descriptor that the zygote is given and, when the test signals it, tries what these
and its own rights are good for. It says what happened through a copy of its report pipe.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from launcher_wire import places_of, zygote_key
from zygote_case import ZygoteCase

SPY = r"""
import array, ctypes, errno, fcntl, json, os, signal, socket, struct
FACTS = json.loads(%(facts)r)
libc = ctypes.CDLL(None, use_errno=True)
report = fcntl.fcntl(4, fcntl.F_DUPFD_CLOEXEC, 900)
kept = []  # (handle of pid 1, files of the cgroup leaf) of every request
receive = socket.socket.recvmsg
NAMESPACES = {"mount": 0x00020000, "cgroup": 0x02000000, "uts": 0x04000000, "ipc": 0x08000000,
              "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
ALL = sum(NAMESPACES.values())

def spy(self, *arguments):
    answer = receive(self, *arguments)
    fds = array.array("i")
    for _, _, data in answer[1]:
        fds.frombytes(data)
    if len(answer[0]) == 2 and answer[0][1] > 0:
        copies = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 1000) for fd in fds]
        kept.append((copies[5], copies[6:6 + answer[0][1]]))
    return answer

socket.socket.recvmsg = spy

def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")

def attempt(work, *arguments):
    try:
        work(*arguments)
        return "yes"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))

def in_child(work):
    "What `work` answers in a process of its own."
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(pid, 0)
    return json.loads(said)

def configure_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        address = struct.pack("<16sHH4s8x", b"lo", socket.AF_INET, 0, bytes([127, 0, 0, 9]))
        fcntl.ioctl(s, 0x8916, address)  # SIOCSIFADDR

def add_address_by(s, to=None, last=9):
    body = struct.pack("<BBBBI", socket.AF_INET, 32, 0, 254, 1) + struct.pack("<HH4s", 8, 2, bytes([127, 0, 0, last]))
    message = struct.pack("<IHHII", 16 + len(body), 20, 5, 1, 0) + body  # RTM_NEWADDR, request and ack
    s.send(message) if to is None else s.sendto(message, to)
    code = struct.unpack_from("<i", s.recv(4096), 16)[0]
    if code != 0:
        raise OSError(-code, "refused")

def add_address():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
        add_address_by(s)

def inside(pidfd):
    def work():
        answers = {"enter": attempt(lambda: must(libc.setns(pidfd, ALL)))}
        if answers["enter"] == "yes":
            answers["raw socket"] = attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255))
            answers["packet socket"] = attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
            answers["address by ioctl"] = attempt(configure_loopback)
            answers["address by netlink"] = attempt(add_address)
        return answers
    return work

def host():
    answers = {}
    for name, pid in FACTS["targets"].items():
        answers[name + ": signal"] = attempt(os.kill, pid, 0)
        answers[name + ": see"] = attempt(os.stat, "/proc/%%d" %% pid)
        answers[name + ": handle"] = attempt(lambda: must(libc.syscall(434, pid, 0)))
        for number, (_, tasks) in enumerate(kept):
            for file, fd in enumerate(tasks):
                answers["%%s: move %%d.%%d" %% (name, number, file)] = attempt(os.write, fd, str(pid).encode())
    answers["keeper: kill"] = attempt(os.kill, 1, 9)
    return answers

def entering():
    answers = {}
    for number, (pidfd, tasks) in enumerate(kept):
        for name, flag in NAMESPACES.items():
            answers["only %%s %%d" %% (name, number)] = in_child(lambda: attempt(lambda: must(libc.setns(pidfd, flag))))
            answers["all but %%s %%d" %% (name, number)] = in_child(lambda: attempt(lambda: must(libc.setns(pidfd, ALL ^ flag))))
        answers["whole %%d" %% number] = in_child(inside(pidfd))
        answers["own child %%d" %% number] = in_child(lambda: [attempt(os.write, fd, b"0") for fd in tasks])
    return answers

waiting = []

def lurk():
    "A process that is in the sandbox's namespaces, though not below its pid 1, and waits."
    reading, writing = os.pipe()
    report_read, report_write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(writing)
            pidfd, tasks = kept[0]
            entered = attempt(lambda: must(libc.setns(pidfd, ALL)))
            became = attempt(os.setresuid, -1, -1, 0)
            os.write(report_write, json.dumps([entered, became]).encode() + b"\n")
            os.read(reading, 1)
            moved = [attempt(os.write, fd, b"0") for fd in tasks]
            os.write(report_write, json.dumps(moved).encode() + b"\n")
            os.execv("/bin/sleep", [FACTS["mark"], "600"])
        os._exit(0)
    os.wait()
    waiting.append((os.fdopen(report_read), writing))
    return json.loads(waiting[0][0].readline())

def hide():
    "It leaves the zygote's own leaf, and everything that it was started from."
    report, writing = waiting[0]
    os.write(writing, b"x")
    return json.loads(report.readline())

def passed_socket():
    "What its owner can do to a sandbox's network with sockets that a process made there."
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        entered = attempt(lambda: must(libc.setns(kept[0][0], ALL)))
        made = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
                socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)] if entered == "yes" else []
        socket.send_fds(theirs, [entered.encode()], [one.fileno() for one in made])
        os._exit(0)
    said, fds, _, _ = socket.recv_fds(ours, 64, 3)
    os.wait()
    if said != b"yes":
        return {"enter": said.decode()}
    v4, v6, netlink = (socket.socket(fileno=fd) for fd in fds)
    address = struct.pack("<16sHH4s8x", b"lo", socket.AF_INET, 0, bytes([127, 0, 0, 9]))
    flags = struct.pack("<16sH14x", b"lo", 0)
    answers = {"question": attempt(fcntl.ioctl, v4, 0x8913, flags)}  # SIOCGIFFLAGS
    for name, number, data in (("address", 0x8916, address), ("down", 0x8914, flags), ("mtu", 0x8922, flags),
                               ("name", 0x8923, flags), ("route", 0x890B, bytes(120)), ("neighbour", 0x8955, bytes(68)),
                               ("tunnel", 0x89F1, flags), ("bridge", 0x89A0, b"bridge0" + bytes(9))):
        answers[name] = attempt(fcntl.ioctl, v4, number, data)
    answers["v6 address"] = attempt(fcntl.ioctl, v6, 0x8916, bytes(15) + b"\x09" + struct.pack("<Ii", 128, 1))
    for number in (64, 65, 96, 97, 128, 129):  # tables of netfilter: of IP, ARP and bridges
        answers["table %%d" %% number] = attempt(v4.setsockopt, socket.IPPROTO_IP, number, bytes(96))
    for number in (64, 65):
        answers["v6 table %%d" %% number] = attempt(v6.setsockopt, socket.IPPROTO_IPV6, number, bytes(96))
    answers["netlink"] = attempt(add_address_by, netlink)
    answers["netlink by its address"] = attempt(add_address_by, netlink, (0, 0), 10)
    return answers

roots = []

def keep_root():
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        entered = attempt(lambda: must(libc.setns(kept[0][0], ALL)))
        socket.send_fds(theirs, [entered.encode()], [os.open("/", os.O_PATH)])
        os._exit(0)
    said, fds, _, _ = socket.recv_fds(ours, 64, 1)
    os.wait()
    roots.extend(fds)
    return said.decode()

def look_from_root():
    return sorted({attempt(lambda: os.stat("proc/%%d" %% pid, dir_fd=roots[0])) for pid in FACTS["targets"].values()})

watching = []

def watch():
    "Looks into every process that appears, until told to stop: into how many, and into which with the host's /proc."
    reading, writing = os.pipe()
    report_read, report_write = os.pipe()
    if os.fork() == 0:
        os.set_blocking(reading, False)
        known, seen, leaks = set(os.listdir("/proc")), set(), set()
        while attempt(os.read, reading, 1) != "yes":
            for name in os.listdir("/proc"):
                if name in known or not name.isdigit():
                    continue
                try:
                    root = os.open("/proc/%%s/root" %% name, os.O_PATH)
                except OSError:
                    continue
                seen.add(name)
                found = any(attempt(lambda: os.stat("proc/%%d" %% pid, dir_fd=root)) == "yes"
                            for pid in FACTS["targets"].values())
                # Of one that ended meanwhile the namespace is gone, and what it had mounted: that is another matter.
                if found and attempt(os.stat, "/proc/%%s/root" %% name) == "yes":
                    leaks.add(name)
                os.close(root)
        os.write(report_write, json.dumps([len(seen), len(leaks)]).encode() + b"\n")
        os._exit(0)
    watching[:] = [(os.fdopen(report_read), writing)]
    return "watching"

def watched():
    report, writing = watching[0]
    os.write(writing, b"x")
    found = json.loads(report.readline())
    os.wait()
    return found

def answer(work):
    def handler(*_):
        os.write(report, json.dumps(work()).encode() + b"\n")
    return handler

signal.signal(signal.SIGUSR1, answer(host))
signal.signal(signal.SIGUSR2, answer(entering))
signal.signal(signal.SIGRTMIN, answer(lurk))
signal.signal(signal.SIGRTMIN + 1, answer(hide))
signal.signal(signal.SIGRTMIN + 2, answer(passed_socket))
signal.signal(signal.SIGRTMIN + 3, answer(watch))
signal.signal(signal.SIGRTMIN + 4, answer(watched))
signal.signal(signal.SIGRTMIN + 5, answer(keep_root))
signal.signal(signal.SIGRTMIN + 6, answer(look_from_root))
"""


class HostileZygoteTest(ZygoteCase):
    def setUp(self):
        super().setUp()
        self.mark = harness.marker()
        self.target = subprocess.Popen(["/bin/sleep", "600"])
        self.addCleanup(self.target.wait)
        self.addCleanup(self.target.kill)

    def guests(self):
        return {pid for pid in harness.pids() if harness.parent_of(pid) == self.launcher.process.pid
                and harness.name_of(pid) == "atoll-guest"}

    def placed_box(self, key=None):
        """A new sandbox, its guest's pid and the number of its slot."""
        before = self.guests()
        box = self.box(key)
        self.assertEqual(box.made["zygote"], 0 if key is None else 1)
        guest, = self.guests() - before
        slots = set(re.findall(r"/guest-(\d+)$", harness.read(f"/proc/{guest}/cgroup"), re.M))
        self.assertEqual(len(slots), 1, slots)
        return box, guest, int(slots.pop())

    def start(self, others=()):
        """A hostile zygote; self.pid is its interpreter."""
        targets = {"a program": self.target.pid, "the launcher": self.launcher.process.pid, **dict(others)}
        facts = json.dumps({"targets": targets, "mark": self.mark})
        self.key.modules = b"--no-ipython"
        reply, pipe = self.launcher.start_zygote(self.key, SPY % {"facts": facts} + self.driver())
        self.assertEqual(reply["status"], 0, reply)
        self.words = os.fdopen(pipe)
        self.addCleanup(self.words.close)
        self.assertTrue(json.loads(self.words.readline())["ready"])
        self.pid = self.interpreter()
        self.place = places_of(self.key)[0][0]

    def ask(self, number):
        os.kill(self.pid, number)
        return json.loads(self.words.readline())

    def groups(self, pid):
        return harness.read(f"/proc/{pid}/cgroup")

    def test_it_reaches_no_process_of_the_host(self):
        plain, guest, _ = self.placed_box()
        self.start([("the guest of a plain sandbox", guest)])
        box, own_guest, _ = self.placed_box(self.key)
        self.python(box, "pass")  # files of its leaf come with the request
        processes = [self.target.pid, self.launcher.process.pid, guest, self.keeper(), os.getpid()]
        before = [self.groups(pid) for pid in processes]
        answers = self.ask(signal.SIGUSR1)
        self.assertTrue([name for name in answers if "move" in name])
        self.assertEqual({name: answer for name, answer in answers.items() if answer == "yes"}, {})
        self.assertEqual({answers[name] for name in answers if "move" in name or "signal" in name}, {"ESRCH"})
        self.assertEqual(answers["keeper: kill"], "EPERM")
        self.assertEqual([self.groups(pid) for pid in processes], before)
        self.assertIsNone(self.target.poll())
        self.assertEqual(plain.run("/bin/true")[1], 0)
        self.assertEqual(self.python(box, "print(1)"), "1\n")

    def test_it_enters_its_sandboxes_whole_and_without_their_network(self):
        self.start()
        box, _, _ = self.placed_box(self.key)
        self.python(box, "pass")
        answers = self.ask(signal.SIGUSR2)
        parts = {name: answer for name, answer in answers.items() if name.startswith(("only", "all but"))}
        self.assertEqual(set(parts.values()), {"EPERM"}, parts)
        for name in [name for name in answers if name.startswith("whole")]:
            found = answers[name]
            self.assertEqual(found.pop("enter"), "yes")  # what it is for
            self.assertEqual({name for name, answer in found.items() if answer == "yes"}, set(), found)
        addresses = box.run("/bin/cat", "/proc/net/fib_trie")[0]
        self.assertIn("127.0.0.1", addresses)
        self.assertNotIn("127.0.0.9", addresses)

    def test_a_socket_out_of_its_sandbox_changes_no_network(self):
        """It owns the sandbox's network, though no process of its is where that ownership could be used but itself."""
        self.start()
        box, _, _ = self.placed_box(self.key)
        self.python(box, "pass")
        answers = self.ask(signal.SIGRTMIN + 2)
        self.assertEqual(answers.pop("question", answers), "yes")  # the socket is there, and of that network
        del answers["netlink by its address"]  # see below
        self.assertEqual({name: answer for name, answer in answers.items() if answer != "EPERM"}, {})
    def test_netlink_out_of_its_sandbox_changes_that_network_alone(self):
        """Of a message that names its receiver the kernel judges the sender alone, and that one owns the network."""
        self.start()
        box, _, _ = self.placed_box(self.key)
        others = [self.placed_box(self.key)[0], self.placed_box()[0]]
        self.python(box, "pass")
        self.assertEqual(self.ask(signal.SIGRTMIN + 2)["netlink by its address"], "yes")
        seen = [one.run("/bin/cat", "/proc/net/fib_trie")[0] for one in (box, *others)] + [harness.read("/proc/net/fib_trie")]
        self.assertEqual(["127.0.0.10" in addresses for addresses in seen], [True, False, False, False])

    def test_it_finds_no_proc_of_the_host_in_a_sandbox_that_begins(self):
        """From its exec on pid 1 lies open to the owner of its user namespace, for as long as it builds the rest."""
        self.start()
        seen = 0
        for _ in range(20):
            self.assertEqual(self.ask(signal.SIGRTMIN + 3), "watching")
            for _ in range(15):
                self.assertEqual(self.box(self.key).end()["status"], 0)
            looked_into, leaks = self.ask(signal.SIGRTMIN + 4)
            self.assertEqual(leaks, 0, f"of {looked_into}")
            seen += looked_into
            if seen >= 30:
                return
        self.assertGreater(seen, 0)

    def test_nor_from_the_root_of_one_that_ended(self):
        """With its mount namespace the /proc of the sandbox goes, and what it covered stays."""
        self.start()
        box, _, _ = self.placed_box(self.key)
        self.python(box, "pass")
        self.assertEqual(self.ask(signal.SIGRTMIN + 5), "yes")
        self.assertEqual(self.ask(signal.SIGRTMIN + 6), ["ENOENT"])
        self.assertEqual(box.end()["status"], 0)
        self.assertEqual(self.ask(signal.SIGRTMIN + 6), ["ENOENT"])

    def test_what_it_keeps_of_a_sandbox_opens_no_other(self):
        other_key = zygote_key("--no-ipython")
        self.addCleanup(self.end_zygotes, other_key)
        reply, pipe = self.launcher.start_zygote(other_key, self.driver())
        self.assertEqual(reply["status"], 0, reply)
        self.assertTrue(zygote_case.word_of(pipe)["ready"])
        other, _, other_slot = self.placed_box(other_key)
        self.launcher.end()
        self.launcher = self.start_launcher("second")  # a driver that changes needs another launcher
        self.start()
        first, gone, slot = self.placed_box(self.key)
        self.python(first, "pass")
        self.assertEqual(first.end()["status"], 0)
        begin = harness.FIRST_ZYGOTE_SLOT + self.place * harness.SLOTS_PER_ZYGOTE
        self.assertIn(slot, range(begin, begin + harness.SLOTS_PER_ZYGOTE))
        self.assertNotIn(other_slot, range(begin, begin + harness.SLOTS_PER_ZYGOTE))
        plain = [self.placed_box() for _ in range(3)]
        for _, _, number in plain:
            self.assertLess(number, harness.FIRST_ZYGOTE_SLOT)
        again, _, next_slot = self.placed_box(self.key)
        self.assertEqual(next_slot, slot)  # kept: the hardest case
        before = [self.groups(guest) for _, guest, _ in plain]
        answers = self.ask(signal.SIGUSR1)
        self.assertEqual({name: answer for name, answer in answers.items() if answer == "yes"}, {})
        answers = self.ask(signal.SIGUSR2)
        self.assertEqual(answers["whole 0"], {"enter": "ESRCH"}, answers)
        self.assertEqual([self.groups(guest) for _, guest, _ in plain], before)
        for box, _, _ in [*plain, (again, 0, 0)]:
            self.assertEqual(box.run("/bin/true")[1], 0)

    def test_what_it_hides_in_a_leaf_ends_with_the_sandbox(self):
        self.start()
        box, _, slot = self.placed_box(self.key)
        self.python(box, "pass")
        self.assertEqual(self.ask(signal.SIGRTMIN), ["yes", "yes"])
        self.assertEqual(set(self.ask(signal.SIGRTMIN + 1)), {"yes"})
        hidden, = harness.poll_until(lambda: harness.with_marker(self.mark), 30)
        self.assertIn(f"/slot-{slot}\n", self.groups(hidden))
        self.assertEqual(box.end()["status"], 0)
        self.assertTrue(harness.poll_until(lambda: not harness.with_marker(self.mark), 30))

    def test_what_it_hides_in_an_old_leaf_ends_with_the_zygote(self):
        self.start()
        box, _, slot = self.placed_box(self.key)
        self.python(box, "pass")
        self.assertEqual(self.ask(signal.SIGRTMIN), ["yes", "yes"])
        self.assertEqual(box.end()["status"], 0)
        self.launcher.list()  # served once the slot is free; before that the launcher ends what it finds there
        self.assertEqual(set(self.ask(signal.SIGRTMIN + 1)), {"yes"})
        hidden, = harness.poll_until(lambda: harness.with_marker(self.mark), 30)
        self.assertIn(f"/slot-{slot}\n", self.groups(hidden))
        os.kill(self.pid, signal.SIGKILL)
        self.assertTrue(harness.poll_until(lambda: not harness.with_marker(self.mark), 30))
        self.assertTrue(harness.poll_until(lambda: not places_of(self.key), 30))

    def test_its_end_leaves_its_sandboxes_alive(self):
        self.start()
        box, _, _ = self.placed_box(self.key)
        mark = harness.marker()
        self.python(box, f"import os\nif os.fork() == 0: os.execv('/bin/sleep', ['{mark}', '600'])")
        self.assertEqual(len(harness.poll_until(lambda: harness.with_marker(mark), 30)), 1)
        os.kill(self.pid, signal.SIGKILL)
        self.assertTrue(harness.poll_until(lambda: not self.keeper(), 30))  # it serves no more
        keeper = places_of(self.key)[0][1]
        self.assertEqual(box.run("/bin/echo", "alive"), ("alive\n", 0))
        self.assertEqual(len(harness.with_marker(mark)), 1)
        self.assertEqual([place[1] for place in places_of(self.key)], [keeper])
        self.assertEqual(box.end()["status"], 0)
        self.assertTrue(harness.poll_until(lambda: not places_of(self.key), 30))
        self.assertEqual(harness.with_marker(mark), [])

    def test_keeper_and_zygote_hold_what_they_need(self):
        self.start()
        _, _, uid, _ = places_of(self.key)[0]
        keeper, zygote = harness.status_of(self.keeper()), harness.status_of(self.pid)
        self.assertEqual(set(keeper["Uid"].split() + keeper["Gid"].split()), {str(0x5FFEFFFF)})
        self.assertEqual(set(zygote["Uid"].split() + zygote["Gid"].split()), {str(uid)})
        self.assertEqual({name: int(keeper[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
                         {"CapInh": 0, "CapPrm": 1 << 5, "CapEff": 1 << 5, "CapBnd": 0, "CapAmb": 0})  # CAP_KILL
        self.assertEqual({int(zygote[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}, {0})
        self.assertEqual([fields["NSpid"].split()[1:] for fields in (keeper, zygote)], [["1"], ["2"]])
        for pid, status in ((self.keeper(), keeper), (self.pid, zygote)):
            self.assertEqual((status["NoNewPrivs"], status["Seccomp"], status["Groups"]), ("1", "2", ""))
            for kind in ("pid", "mnt", "net", "ipc", "uts"):
                self.assertNotEqual(harness.ns_of(pid, kind), harness.ns_of(os.getpid(), kind), kind)
        self.assertEqual(os.stat(f"/proc/{self.keeper()}/environ").st_uid, 0)  # nobody of its uid reads it
        self.assertEqual(harness.status_of(self.pid)["PPid"], str(self.keeper()))


if __name__ == "__main__":
    zygote_case.main(__doc__)
