#!/usr/bin/env python3
"""Creates, uses and destroys sandboxes many times and counts what the host has before and after.

usage: leak_audit.py --build DIR [--cycles N]     (default: ATOLL_LEAK_CYCLES or 1000; nightly 10000)

Counted after a warm-up of 20 cycles and again at the end: processes, mounts, cgroup directories, the
kernel's own cgroup counts (dying ones included), network namespaces, entries of the run folder, slab
objects of network namespaces, loop devices, the shared-memory segments of the host. A figure may
not grow with the number of cycles; kernel work that is only late is given a deadline.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "support")]

import cgroups  # noqa: E402
import harness  # noqa: E402

WARM_UP = 20
# By how much a figure may differ for reasons that are not ours, e.g. another test's process.
# Slots are made when needed and kept: another test beside this one may have needed a few more. The
# kernel keeps a few freed network namespaces at hand, and counts them.
SLACK = {"memory cgroups in /proc/cgroups": 12, "pids cgroups in /proc/cgroups": 12, "cpu cgroups in /proc/cgroups": 12,
         "freezer cgroups in /proc/cgroups": 12, "cgroup directories": 48, "network namespaces": 8, "mounts": 8,
         "run folder entries": 16, "tmp files": 4, "net_namespace objects": 32}


def count_cgroups():
    return sum(len(cgroups.below(top)) for top in [*cgroups.ROOT.glob("*/atoll"), cgroups.ROOT / "atoll"])


def network_namespaces():
    seen = set()
    for pid in harness.pids():
        name = harness.ns_of(pid, "net")
        if name:
            seen.add(name)
    # Kept ones are mounts of the nsfs.
    for line in harness.read("/proc/self/mountinfo").splitlines():
        fields = line.split()
        if " - nsfs " in line and fields[3].startswith("net:"):
            seen.add(fields[3])
    return len(seen)


def atoll_processes():
    return sum(1 for pid in harness.pids() if harness.name_of(pid) in ("atoll", "atoll-launcher", "atoll-mounts", "atoll-net", "atoll-guest"))


def user_processes():
    """Processes whose uid is from the launcher's own range."""
    found = 0
    for pid in harness.pids():
        uid = harness.status_of(pid).get("Uid", "0").split()
        found += bool(uid) and 0x60000000 <= int(uid[0]) < 0x60020000
    return found


def folder_entries(folder):
    return sum(len(folders) + len(files) for _, folders, files in os.walk(folder))


def snapshot():
    cgroups = {fields[0]: int(fields[2]) for fields in
               (line.split() for line in harness.read("/proc/cgroups").splitlines()[1:])}
    figures = {
        "atoll processes": atoll_processes(),
        "sandbox processes": user_processes(),
        "mounts": len(harness.read("/proc/self/mountinfo").splitlines()),
        "cgroup directories": count_cgroups(),
        "network namespaces": network_namespaces(),
        "run folder entries": folder_entries("/run/atoll"),
        "tmp files": len([n for n in os.listdir("/tmp") if n.startswith("atoll")]),
        "sysv segments": len(harness.read("/proc/sysvipc/shm").splitlines()),
        "loop devices": len([l for l in Path("/sys/block").glob("loop*/loop/backing_file")]),
    }
    for name in ("memory", "pids", "cpu", "freezer"):
        figures[f"{name} cgroups in /proc/cgroups"] = cgroups.get(name, 0)
    for line in harness.read("/proc/slabinfo").splitlines():
        if line.startswith("net_namespace "):
            figures["net_namespace objects"] = int(line.split()[1])
    return figures


def cycle(programs, number):
    kind = number % 16
    if kind == 15:  # a disk image, filled
        out = programs.run(["/bin/sh", "-c", "dd if=/dev/zero of=/tmp/x bs=64k count=64 2>/dev/null; exit 9"],
                           options=["--memory", "32m", "--disk", "32m"])
        good = out.code == 9
    elif kind % 4 == 1:  # page cache and files
        out = programs.run(["/bin/sh", "-c", "dd if=/dev/zero of=/tmp/x bs=64k count=16 2>/dev/null; exit 7"])
        good = out.code == 7
    elif kind % 4 == 2:  # killed from outside while running
        process = programs.start(["/bin/sh", "-c", "echo ready; sleep 100 & exec sleep 100"])
        good = process.stdout.readline().strip() == b"ready"
        process.kill()
        process.wait(60)
        process.stdout.close()
        out = None
    elif kind == 3:      # refused at the last step
        out = programs.run(["/no/such/program"])
        good = out.code == 127
    else:
        out = programs.run(["/bin/true"])
        good = out.code == 0
    if not good:
        raise AssertionError(f"cycle {number}: {out.code if out else 'not ready'} {out.tail() if out else ''}")


def cycles(programs, first, count, workers=2):
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(lambda number: cycle(programs, number), range(first, first + count)):
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cycles", type=int, default=int(os.environ.get("ATOLL_LEAK_CYCLES", "1000")))
    options = parser.parse_args()
    programs = harness.Programs(Path(options.build))
    try:
        cycles(programs, 0, WARM_UP)
        harness.poll_until(lambda: atoll_processes() == 0 and user_processes() == 0, 60)
        before = snapshot()
        began = time.monotonic()
        cycles(programs, WARM_UP, options.cycles)
        took = time.monotonic() - began

        def settled():
            after = snapshot()
            return all(after[key] <= before[key] + SLACK.get(key, 0) for key in before)
        harness.poll_until(settled, 60, step=0.5)
        after = snapshot()
    finally:
        programs.close()
    failed = False
    for key in before:
        grew = after[key] > before[key] + SLACK.get(key, 0)
        failed |= grew
        print(f"{'FAIL' if grew else 'ok  '}  {key}: {before[key]} before, {after[key]} after {options.cycles} cycles")
    print(f"{options.cycles} cycles in {took:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
