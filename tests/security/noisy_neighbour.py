#!/usr/bin/env python3
"""A neighbour that forks, allocates, fills its disk and floods its output at once: another sandbox goes
on answering, and the neighbour can be ended quickly, with nothing left.

usage: noisy_neighbour.py --build DIR
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness

# The forks come last: beside them the shell itself could start nothing more.
BOMB = """
(while :; do /cases/20_memory_bomb anonymous 400000000; done) >/dev/null 2>&1 &
(while :; do /cases/21_disk_fill bytes 1 4000000000; rm -f /tmp/fill /workspace/fill /dev/shm/fill; done) >/dev/null 2>&1 &
echo ready
/cases/19_fork_bomb storm &
exec /cases/22_output_flood forever
"""
ROUNDS = 20
SLOWEST = 30.0 * harness.SLOWER  # seconds for one whole `atoll run -- /bin/true` beside the bombs, on two busy cores
END_DEADLINE = 0.2  # seconds from the signal until everything is gone (docs/performance.md)
END_PATIENCE = 30.0 * harness.SLOWER  # and at most, in one bad case


def start_bombs(programs):
    process = programs.start(["/bin/sh", "-c", BOMB], options=["--memory", "96m", "--pids", "80", "--timeout", "600s"],
                             stderr=subprocess.DEVNULL)
    line = process.stdout.readline()
    if line.strip() != b"ready":
        raise AssertionError(f"the neighbour did not start: {line!r}")
    return process


def sandbox_uids(process):
    """The uids that the neighbour's processes have on the host."""
    uids = set()
    for pid in harness.descendants(process.pid):
        uid = int((harness.status_of(pid).get("Uid", "0").split() or ["0"])[0])
        if uid >= 0x60000000:
            uids.add(uid)
    return uids


def alive(uids):
    return [pid for pid in harness.pids() if int((harness.status_of(pid).get("Uid", "0").split() or ["0"])[0]) in uids
            and harness.status_of(pid).get("State", "Z")[0] != "Z"]


def check_answers(programs):
    """Whole runs beside the bombs, and a program that was running before they began."""
    problems, times = [], []
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", mark]) as quiet:
        noisy = start_bombs(programs)
        try:
            for _ in range(ROUNDS):
                began = time.monotonic()
                out = programs.run(["/bin/echo", "answer"], deadline=60)
                times.append(time.monotonic() - began)
                if out.code != 0 or "answer" not in out.output:
                    problems.append(f"a run beside the bombs: exit {out.code} {out.tail()}")
            if noisy.poll() is not None:
                problems.append(f"the neighbour ended by itself with {noisy.returncode}")
            if quiet.poll() is not None:
                problems.append("the quiet sandbox died")
        finally:
            noisy.kill()
            noisy.wait(60)
            noisy.stdout.close()
    if max(times) > SLOWEST:
        problems.append(f"the slowest answer took {max(times):.2f} s")
    print(f"      answers beside the bombs: median {statistics.median(times) * 1000:.0f} ms, slowest {max(times) * 1000:.0f} ms")
    return problems


def check_end(programs, number, name):
    """From the signal to nothing left."""
    noisy = start_bombs(programs)
    uids = harness.poll_until(lambda: sandbox_uids(noisy), 60)
    time_to_grow = time.monotonic() + 0.7  # let the bombs burn
    while time.monotonic() < time_to_grow and noisy.poll() is None:
        os.read(noisy.stdout.fileno(), 1 << 16)
    began = time.monotonic()
    noisy.send_signal(number)
    if number != 9:
        import threading
        threading.Thread(target=lambda: noisy.stdout.read(), daemon=True).start()
    harness.poll_until(lambda: not alive(uids), END_PATIENCE * 3, step=0.005)
    took = time.monotonic() - began
    left = alive(uids)
    harness.end_process(noisy)
    problems = []
    if left:
        problems.append(f"{name}: {len(left)} processes are left after {took:.1f} s")
    elif took > END_PATIENCE:
        problems.append(f"{name}: gone only after {took:.2f} s")
    print(f"      {name}: everything gone after {took * 1000:.0f} ms" + ("" if took <= END_DEADLINE else " (promise: 200 ms p99)"))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    programs = harness.Programs(Path(options.build))
    failed = False
    try:
        for what, run in (("answers", lambda: check_answers(programs)),
                          ("end by SIGKILL of atoll", lambda: check_end(programs, 9, "SIGKILL")),
                          ("end by SIGTERM of atoll", lambda: check_end(programs, 15, "SIGTERM"))):
            problems = run()
            for problem in problems:
                failed = True
                print(f"FAIL  {what}: {problem}")
            if not problems:
                print(f"ok    {what}")
    finally:
        programs.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
