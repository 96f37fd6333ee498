"""A server under load beside hostile sandboxes of its own: no leak, no failure, steady times. Not a part of the tests.

usage: soak.py [MINUTES]  (ATOLL_BIN is the folder of the programs)
"""
import collections
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

from leftovers import Leftovers, processes
from server import Server

CLIENTS = 2
WINDOW = 10  # seconds between samples
HOSTILE = {
    "fork bomb": "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
    "memory bomb": "held = []\nwhile True: held.append(bytearray(1 << 20))",
    "output flood": "import sys\nwhile True: sys.stdout.write('x' * 65536)",
}
HOSTILE_SECONDS = 15
# What may grow between the first third and the last.
RSS_MB, DESCRIPTORS, P99_TIMES = 24, 10, 3


class Load:
    def __init__(self, server):
        self.server, self.over = server, threading.Event()
        self.times = collections.deque()  # (when, seconds) of every full cycle
        self.failures = []
        self.attacks = collections.Counter()

    def cycle(self, template, body, wanted):
        began = time.monotonic()
        session = self.server.session(template_id=template)
        ran = self.server.execute(session, **body)
        status, _ = self.server.call("DELETE", f"/api/v1/sessions/{session}")
        if (ran.get("stdout"), status) != (wanted, 204):
            self.failures.append((ran, status))
        self.times.append((began, time.monotonic() - began))

    def client(self):
        while not self.over.is_set():
            self.guarded(lambda: self.cycle("shell-default", {"command": "echo 1"}, "1\n"))
            self.guarded(lambda: self.cycle("python-default", {"code": "print(2)"}, "2\n"))

    def neighbour(self, name):
        while not self.over.is_set():
            self.guarded(lambda: self.attack(name))

    def attack(self, name):
        """Deleted while it rages."""
        session = self.server.session(template_id="python-default")
        started = self.server.call("POST", f"/api/v1/sessions/{session}/execute", {"code": HOSTILE[name], "timeout": 600})
        self.over.wait(HOSTILE_SECONDS)
        status, _ = self.server.call("DELETE", f"/api/v1/sessions/{session}")
        if (started[0], status) != (202, 204):
            self.failures.append((name, started, status))
        self.attacks[name] += 1

    def guarded(self, action):
        try:
            action()
        except Exception as error:  # one failure is a line of the verdict, not the end of the load
            self.failures.append(repr(error))

    def p99(self, since):
        found = sorted(seconds for when, seconds in list(self.times) if when >= since)
        return (len(found), 1000 * found[int(len(found) * 0.99)] if found else 0.0)


def figures(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    rss = int(status.split("VmRSS:")[1].split()[0]) / 1024
    return rss, len(os.listdir(f"/proc/{pid}/fd"))


def launcher_of(leftovers):
    (pid,) = [pid for pid, (words, _) in processes().items()
              if words[0].endswith(b"atoll-launcher") and str(leftovers.run).encode() in words]
    return pid


def sample(load, server, launcher, seconds):
    """Rows of (cycles, p99 ms, server MB, server descriptors, launcher MB, launcher descriptors)."""
    rows, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        since = time.monotonic()
        time.sleep(min(WINDOW, max(0.1, end - since)))
        cycles, p99 = load.p99(since)
        rows.append((cycles, p99, *figures(server.process.pid), *figures(launcher)))
        print("{:6} cycles  p99 {:7.1f} ms  server {:6.1f} MB {:4} fds  launcher {:5.1f} MB {:4} fds".format(*rows[-1]), flush=True)
    return rows


def verdict(rows, load):
    third = max(1, len(rows) // 3)
    first, last = ([statistics.median(column) for column in zip(*part)] for part in (rows[:third], rows[-third:]))
    problems = [f"{len(load.failures)} failures, the first: {load.failures[0]}"] if load.failures else []
    for number, name in ((2, "server"), (4, "launcher")):
        if last[number] - first[number] > RSS_MB:
            problems.append(f"the memory of the {name} grew from {first[number]:.1f} to {last[number]:.1f} MB")
        if last[number + 1] - first[number + 1] > DESCRIPTORS:
            problems.append(f"the descriptors of the {name} grew from {first[number + 1]:.0f} to {last[number + 1]:.0f}")
    if last[1] > P99_TIMES * first[1]:
        problems.append(f"p99 grew from {first[1]:.1f} to {last[1]:.1f} ms")
    return problems


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        with Server(folder + "/data", "--no-auth") as server:
            load, leftovers = Load(server), Leftovers(server.data)
            threads = [threading.Thread(target=load.client) for _ in range(CLIENTS)]
            threads += [threading.Thread(target=load.neighbour, args=(name,)) for name in HOSTILE]
            for one in threads:
                one.start()
            try:
                rows = sample(load, server, launcher_of(leftovers), minutes * 60)
            finally:
                load.over.set()
                for one in threads:
                    one.join()
            problems = verdict(rows, load)
            try:
                leftovers.check(parked=15)
            except AssertionError as left:
                problems.append(str(left))
            print(f"{sum(row[0] for row in rows)} cycles, attacks: {dict(load.attacks)}")
    for problem in problems:
        print("PROBLEM:", problem)
    print("soak:", "FAILED" if problems else "no leak, no failure, steady")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
