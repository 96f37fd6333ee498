"""What the host sees of a running sandbox, and what one sandbox sees of another."""

import contextlib
import os

import harness
from direct.common import both_cores, check, expect


@check(5)
def guest_is_sealed(programs):
    """The guest runs from something that cannot be written, even by the host's root through it."""
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", mark]) as process:
        guests = [pid for pid in harness.descendants(process.pid) + harness.pids() if harness.name_of(pid) == "atoll-guest"]
        mine = [pid for pid in guests if any(harness.parent_of(child) == pid for child in harness.with_marker(mark))]
        expect(mine, "the guest is not seen on the host")
        if os.geteuid() != 0:
            return
        try:
            fd = os.open(f"/proc/{mine[0]}/exe", os.O_WRONLY)
            os.close(fd)
            raise AssertionError("/proc/PID/exe of the guest opens for writing")
        except OSError as error:
            expect(error.errno in (26, 30, 1, 13), f"open gave errno {error.errno}")


def loaded_modules():
    return {line.split()[0] for line in harness.read("/proc/modules").splitlines()}


@check(12)
def host_loads_no_modules(programs):
    """For a kind of socket that it does not have the kernel runs modprobe: nobody inside chooses what the host loads."""
    before = loaded_modules()
    for name, how in (("sweep", "HOLDS"), ("inet_sweep", "HOLDS"), ("pairs", "HOLDS"), ("ioctls", "EPERM")):
        out = programs.run(["/cases/12_socket_families", name])
        expect(out.how == how, f"{name}: {out.how} {out.tail()}")
    grown = loaded_modules() - before
    expect(not grown, f"the host has loaded {grown}")
    if programs.rootless or not os.path.isdir(f"/lib/modules/{os.uname().release}/kernel/net"):
        return
    programs.run(["/cases/12_socket_families", "pairs"], off=("seccomp",))
    wanted = {"smc", "kcm", "af_key", "af_alg"}
    expect(wanted & loaded_modules(), f"control: none of {wanted} was loaded without the filter")


@check(26)
def used_slot_tells_nothing(programs):
    """A slot is reused: the next sandbox sees neither files nor sockets nor the counters of the last."""
    script = ("import socket,sys\n"
              "a=socket.socket();a.bind(('127.0.0.1',0));a.listen(1)\n"
              "b=socket.create_connection(a.getsockname());c,_=a.accept()\n"
              "[b.sendall(b'x'*65536) or c.recv(65536,socket.MSG_WAITALL) for _ in range(64)]\n")
    look = "awk '/lo:/ {print $2}' /proc/net/dev"
    for _ in range(3):
        out = programs.run(["/usr/bin/python3", "-c", script], options=both_cores(programs))
        expect(out.code == 0, f"python: {out.tail()}")
    seen = [int(programs.run(["/bin/sh", "-c", look]).output.strip() or 0) for _ in range(3)]
    expect(max(seen) < 1 << 20, f"the loopback counters of an earlier sandbox are seen: {seen}")


@check(26)
def distinct_uids(programs):
    """Two sandboxes at one time, started apart, have different uids on the host."""
    def inside_uids(mark):
        return {harness.status_of(pid).get("Uid", "").split()[0] for pid in harness.with_marker(mark)
                if harness.name_of(pid).startswith("26_shared")}
    one, two = harness.marker(), harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", one]):
        with programs.held(["/cases/26_shared_state", "leave", "tmp", two]):
            first, second = inside_uids(one), inside_uids(two)
    expect(first and second, f"programs not seen on the host: {first} {second}")
    if programs.rootless:
        return
    expect(first.isdisjoint(second), f"both run as {first & second}")
    expect("0" not in first | second, "user code is root on the host")


@check(35)
def processes_are_held_by_pidfd(programs):
    mark = harness.marker()
    with programs.held(["/cases/26_shared_state", "leave", "tmp", mark]) as process:
        launchers = [pid for pid in harness.descendants(process.pid) if harness.name_of(pid) == "atoll-launcher"]
        expect(launchers, "the launcher is not seen on the host")
        links = []
        for fd in os.listdir(f"/proc/{launchers[0]}/fd"):
            with contextlib.suppress(OSError):
                links.append(os.readlink(f"/proc/{launchers[0]}/fd/{fd}"))
        expect(any("pidfd" in link for link in links), f"no pidfd among {links}")
