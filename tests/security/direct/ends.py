"""Nothing of a sandbox is left when it ends, is killed or does not want to end."""

import contextlib
import os
import select
import signal
import subprocess

import harness
from direct.common import check, expect, gone


@check(23)
def daemon_is_gone(programs):
    mark = harness.marker()
    out = programs.run(["/cases/23_orphans", "daemon", mark])
    expect(out.how == "HOLDS", f"{out.how} {out.tail()}")
    gone(mark)


@check(23)
def daemon_is_gone_when_atoll_is_killed(programs):
    mark = harness.marker()
    process = programs.start(["/bin/sh", "-c", f"/cases/23_orphans daemon {mark}; echo ready; exec sleep 600"])
    line = process.stdout.readline() + process.stdout.readline()
    expect(b"ready" in line, f"not ready: {line!r}")
    expect(harness.with_marker(mark), "the daemon is not seen on the host")
    process.kill()
    process.wait(60)
    process.stdout.close()
    gone(mark)


@check(23)
def nothing_is_left_when_launcher_is_killed(programs):
    """The launcher dies under a running `atoll run`: the sandbox may not outlive its `atoll`."""
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", mark]) as process:
        family = harness.descendants(process.pid)
        launchers = [pid for pid in family if harness.name_of(pid) == "atoll-launcher"]
        guests = [pid for pid in family if harness.name_of(pid) == "atoll-guest"]
        expect(launchers and guests, "launcher and guest are not seen on the host")
        # By pidfd: the numbers may be others' later.
        held = [os.pidfd_open(pid) for pid in guests]
        os.kill(launchers[0], 9)
    gone(mark)

    def ended():
        return all(select.select([fd], [], [], 0)[0] for fd in held)
    quiet = harness.poll_until(ended, 60)
    for fd in held:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(fd, signal.SIGKILL)  # not to be left behind by a failed test
        os.close(fd)
    expect(quiet, "the guest lives on after atoll and its launcher are gone")


def deaf(name):
    def run(programs):
        mark = harness.marker()
        out = programs.run(["/cases/24_deaf", name, mark], options=["--timeout", "1s"])  # it would never end
        expect(out.how == "EXIT 124", f"{out.how} {out.tail()}")
        gone(mark)
    run.__name__ = f"deaf_{name}"
    return check(24)(run)


for _name in ("stop_self", "stop_group", "ignore", "leave_group", "uninterruptible", "spin"):
    deaf(_name)


@check(24)
def interrupt_ends_a_deaf_program(programs):
    """The second Ctrl-C ends a program that ignores every signal."""
    mark = harness.marker()
    process = programs.start(["/cases/24_deaf", "ignore", mark])
    expect(process.stdout.readline().strip() == b"ready", "not ready")
    for patience in (3, 3, harness.DEADLINE):
        process.send_signal(2)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    ended = process.poll() is not None
    harness.end_process(process)
    process.stdout.close()
    gone(mark)
    expect(ended, "three SIGINT did not end atoll")
