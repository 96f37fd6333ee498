"""Limits on processes, memory, kernel objects and processor time, seen from the host."""

import json
import os
import subprocess
import time

import harness
from direct.common import check, expect, gone


@check(19, root_only="cgroup limits need root on cgroup v1")
def storm(programs):
    """A second of forking as fast as it goes: contained, ended in time, and the host answers."""
    process = programs.start(["/cases/19_fork_bomb", "storm"], options=["--pids", "60", "--timeout", "1500ms"])
    most = 0
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        subprocess.run(["/bin/true"], check=True, timeout=60)
        most = max(most, sum(1 for pid in harness.pids() if harness.name_of(pid).startswith("19_fork_bomb")))
    code = process.poll()
    harness.end_process(process)
    process.stdout.close()
    expect(code == 124, f"exit {code} instead of 124")
    expect(most <= 60, f"{most} processes at once, the limit is 60")
    left = harness.poll_until(lambda: not [p for p in harness.pids() if harness.name_of(p).startswith("19_fork_bomb")], 60)
    expect(left, "bomb processes are left")


@check(20, root_only="cgroup limits need root on cgroup v1")
def oom_is_reported(programs):
    out = programs.run(["/cases/20_memory_bomb", "anonymous", str(200 << 20)], options=["--memory", "48m", "-o", "json"],
                       stderr=subprocess.DEVNULL)
    record = json.loads(out.output)
    expect(record.get("oom") is True, f"oom is {record.get('oom')!r}")
    expect(out.code == 137, f"exit {out.code}")
    expect(record.get("exit_code") == 137, f"exit_code {record.get('exit_code')}")


@check(20, root_only="cgroup limits need root on cgroup v1")
def guest_survives_oom(programs):
    """The bomb dies, its parent shell lives and is heard."""
    out = programs.run(["/bin/sh", "-c", f"/cases/20_memory_bomb anonymous {200 << 20}; echo code $?; echo stopped: HOLDS; exit 10"],
                       options=["--memory", "64m"])
    expect("code 137" in out.output and out.how == "HOLDS", f"{out.how} {out.tail()}")


def use_beside(programs, kind):
    """One sandbox takes all of a kind that it can get; another one still gets its own."""
    with programs.held(["/cases/20_kernel_objects", "exhaust", kind]):
        out = programs.run(["/cases/20_kernel_objects", "use", kind])
        expect(out.how == "THROUGH", f"{kind} beside a sandbox that has used up its own: {out.how} {out.tail()}")


@check(20, root_only="cgroup limits need root on cgroup v1")
def memory_that_is_freed_late(programs):
    """Queues of messages outlive their sandbox for a moment, in its slot: the next one is made all the same."""
    for _ in range(3):
        filled = programs.run(["/cases/20_kernel_objects", "sysv_messages", str(200 << 20)], options=["--memory", "512m"])
        expect(filled.how == "THROUGH", f"the queues: {filled.how} {filled.tail()}")
        out = programs.run(["/bin/true"], options=["--memory", "64m"])
        expect(out.code == 0, f"the next sandbox: exit {out.code} {out.tail()}")


@check(20, root_only="an ordinary user's sandboxes are all his own")
def inotify_of_others(programs):
    use_beside(programs, "inotify")


@check(20, root_only="an ordinary user's sandboxes are all his own")
def signals_of_others(programs):
    use_beside(programs, "signals")


@check(20, root_only="cgroup limits need root on cgroup v1")
def full_disk_is_no_oom(programs):
    """Filling every writable place at the default limits is ENOSPC, never a kill."""
    for memory in ("64m", "512m"):
        out = programs.run(["/cases/21_disk_fill", "bytes", str(1 << 40), str(2 << 30)], options=["--memory", memory])
        expect(out.how == "ENOSPC", f"memory {memory}: {out.how} {out.tail()}")


def spin_share(programs, off):
    """Processor seconds per second that a spinning program got with --cpus 0.1."""
    mark = harness.marker()
    limit = ["--cpus", "0.1"] if off is None else []  # asking for a limit that is down is an error
    process = programs.start(["/cases/24_deaf", "spin", mark], off, options=[*limit, "--timeout", "60s"])
    expect(process.stdout.readline().strip() == b"ready", "not ready")
    pid = [p for p in harness.with_marker(mark) if harness.name_of(p).startswith("24_deaf")][0]

    def used():
        fields = harness.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    began, first = time.monotonic(), used()  # the time is taken around it all: no delay makes the share larger
    time.sleep(2.0)  # the time of the measurement itself
    share = (used() - first) / (time.monotonic() - began)
    harness.end_process(process)
    process.stdout.close()
    gone(mark)
    return share


@check(25, root_only="cgroup limits need root on cgroup v1")
def cpu_limit(programs):
    harness.reset_idle_slots()
    free = spin_share(programs, ("cpu_limit",))
    held = spin_share(programs, None)
    expect(free > 0.17, f"control: without the limit it got {free:.2f} of a core")
    expect(held < 0.14, f"with --cpus 0.1 it got {held:.2f} of a core")
