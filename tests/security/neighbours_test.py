#!/usr/bin/env python3
"""What sandboxes of one launcher leave to each other, at the same time and one after the other in a slot.

usage: neighbours_test.py --build DIR
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
import zygote_case
from zygote_case import ZygoteCase

CGROUPS = Path("/sys/fs/cgroup")
UNIFIED = (CGROUPS / "cgroup.controllers").exists()

# Takes what the kernel counts per user until it is refused, keeps all of it in the background, and says how much.
HOG = r"""
import ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
def take(most, inotify, signals):
    found = {"inotify": 0, "signals": 0}
    if inotify:
        while found["inotify"] < most and libc.inotify_init1(0) >= 0:
            found["inotify"] += 1
    if signals:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
        while found["signals"] < most and libc.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0:
            found["signals"] += 1
    return found
"""
KEEP = HOG + r"""
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(writing, json.dumps(take(1 << 30, %(inotify)r, %(signals)r)).encode())
    os.close(writing)
    for fd in (0, 1, 2): os.close(fd)
    while True: signal.pause()
os.close(writing)
print(os.read(reading, 4096).decode())
"""
SOME = 100
TRY = HOG + f"print(json.dumps(take({SOME}, True, True)))\n"

NETWORK = r"""
import json, os
files = {name: open("/proc/net/" + name).read() for name in ("dev", "snmp", "snmp6", "netstat")}
print(json.dumps([os.readlink("/proc/self/ns/net"), files]))
"""
NOISE = {
    "datagrams": """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as b:
    a.bind(("127.0.0.1", 0))
    b.sendto(b"x" * 500, a.getsockname())
    a.recv(1000)
""",
    "datagrams to nobody": """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a:
    a.sendto(b"x", ("127.0.0.1", 9))
""",
    "TCP": """
import socket
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
    peer, _ = server.accept()
    peer.sendall(b"x" * 5000)
    peer.close()
    while client.recv(4096): pass
""",
    "a refused connection": """
import socket
try: socket.create_connection(("127.0.0.1", 9))
except OSError: pass
""",
    "a host that is not there": """
import socket
try: socket.create_connection(("192.0.2.1", 9))
except OSError: pass
""",
    "datagrams of IPv6": """
import socket
with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as a:
    a.sendto(b"x", ("::1", 9))
""",
}


class NeighboursTest(ZygoteCase):
    def leaf(self, guest, kind, controller):
        groups = harness.read(f"/proc/{guest}/cgroup")
        folder, number = re.search(r":/(.*)/guest-(\d+)$", groups, re.M).groups()
        return CGROUPS / ("" if UNIFIED else controller) / folder / f"{kind}-{number}"

    def test_what_is_counted_per_user_is_counted_per_sandbox(self):
        free = json.loads(self.python(self.box(), TRY))
        self.assertEqual(free, {"inotify": SOME, "signals": SOME})
        hog = self.box()
        taken = json.loads(self.python(hog, KEEP % {"inotify": True, "signals": False}))
        self.assertGreaterEqual(taken["inotify"], 100)
        taken = json.loads(self.python(hog, KEEP % {"inotify": False, "signals": True}))
        self.assertGreaterEqual(taken["signals"], 100)
        again = json.loads(self.python(hog, TRY))
        self.assertLess(again["inotify"], SOME)  # it has used up its own
        self.assertLess(again["signals"], SOME)
        self.assertEqual(json.loads(self.python(self.box(), TRY)), free)
        root = subprocess.run([sys.executable, "-c", TRY], capture_output=True, text=True, timeout=60, check=True)
        self.assertGreater(json.loads(root.stdout)["inotify"], 10)  # others of root's have some, too
        self.assertEqual(json.loads(root.stdout)["signals"], SOME)

    def test_everything_in_a_leaf_ends_with_the_sandbox(self):
        """Five hundred processes that were put there from outside, which pid 1's end does not end."""
        box, guest = self.guest_of(lambda: self.box(pids=600))
        beside = subprocess.Popen(["/bin/sleep", "600"])
        self.addCleanup(beside.wait)
        self.addCleanup(beside.kill)
        crowd = [subprocess.Popen(["/bin/sleep", "600"]) for _ in range(500)]
        self.addCleanup(lambda: [process.kill() or process.wait() for process in crowd])
        for controller in ("memory",) if UNIFIED else ("memory", "cpu", "cpuacct", "pids", "freezer"):
            tasks = self.leaf(guest, "slot", controller) / "cgroup.procs"
            for process in crowd:
                tasks.write_text(str(process.pid))
        self.assertEqual(box.end()["status"], 0)
        for process in crowd:
            self.assertEqual(process.wait(30), -9)
        self.assertIsNone(beside.poll())
        self.assertEqual(self.box().run("/bin/true")[1], 0)

    def test_a_guest_holds_little_and_is_limited(self):
        box, guest = self.guest_of(self.box)
        links = harness.links_of(guest)
        self.assertEqual([link for link in links.values() if "/slots" in link or "/run/" in link], [])
        for link in links.values():
            self.assertRegex(link, r"^(/dev/null|/null|socket:.*|anon_inode:.*|pipe:.*|/.*/(tasks|cgroup\.procs))$")
        memory = self.leaf(guest, "guest", "memory") / ("memory.max" if UNIFIED else "memory.limit_in_bytes")
        self.assertLessEqual(int(memory.read_text()), 256 << 20)
        self.assertLessEqual(int((self.leaf(guest, "guest", "pids") / "pids.max").read_text()), 64)
        status = harness.status_of(guest)
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
        self.assertEqual(box.run("/bin/true")[1], 0)

    def test_a_guest_goes_before_programs(self):
        """Ten times the weight of what it runs, so that it answers beside programs that burn."""
        box, guest = self.guest_of(self.box)
        file = "cpu.weight" if UNIFIED else "cpu.shares"
        weights = {kind: int((self.leaf(guest, kind, "cpu") / file).read_text()) for kind in ("guest", "slot")}
        self.assertEqual(weights["guest"], 10 * weights["slot"])
        self.assertEqual(box.run("/bin/true")[1], 0)

    def tenant(self, key, noise=""):
        """One sandbox from its beginning to its end: (a hold on its network namespace, its name, what was in /proc/net)."""
        box, guest = self.guest_of(lambda: self.box(key))
        hold = os.open(f"/proc/{guest}/ns/net", os.O_RDONLY)  # its inode number does not come again
        self.addCleanup(os.close, hold)
        name, files = json.loads(self.python(box, NETWORK))
        if noise:
            self.python(box, noise)
            self.assertNotEqual(json.loads(self.python(box, NETWORK))[1], files)  # it left a trace
        self.assertEqual(box.end()["status"], 0)
        return name, files

    def check_reuse(self, key):
        first, untouched = self.tenant(key)
        self.assertEqual(self.tenant(key), (first, untouched))  # nothing happened there: kept
        seen = {first}
        for what, noise in NOISE.items():
            before, files = self.tenant(key, noise)
            self.assertEqual(files, untouched, what)
            after, files = self.tenant(key)
            self.assertEqual(files, untouched, what)
            self.assertNotEqual(after, before, what)
            seen.add(after)
        self.assertEqual(len(seen), len(NOISE) + 1)

    def test_the_next_tenant_sees_nothing_of_the_last_ones_network(self):
        self.check_reuse(None)

    def test_nor_does_the_next_of_a_zygote(self):
        self.zygote(modules="--no-ipython")
        self.check_reuse(self.key)


if __name__ == "__main__":
    zygote_case.main(__doc__)
