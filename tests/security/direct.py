"""Checks that are no single attack: what the host sees while a sandbox runs and after it ended."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import harness

SOURCE = Path(__file__).resolve().parents[2]
CHECKS = []
WRITABLE_ROOT = ("--writable-root",)


def check(line, root_only="", pending=""):
    def add(function):
        function.line = line
        function.root_only = root_only
        function.pending = pending
        CHECKS.append(function)
        return function
    return add


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def gone(mark, seconds=harness.DEADLINE):
    """No process of the host has the marker any more."""
    left = harness.poll_until(lambda: not harness.with_marker(mark), seconds)
    expect(left, f"processes are left: {[(p, harness.read(f'/proc/{p}/cmdline')) for p in harness.with_marker(mark)]}")


# 1 ------------------------------------------------------------------------------------------------

@check(1)
def workdir_by_descriptor(programs):
    """Leaky Vessels: a working directory that is a descriptor of the runtime."""
    for fd in range(0, 24):
        for folder in (f"/proc/self/fd/{fd}", f"/proc/1/fd/{fd}", f"/dev/fd/{fd}"):
            out = programs.run(["/cases/01_inherited_fds", "climb"], options=["--workdir", folder])
            expect(out.how in ("HOLDS", "EXIT 125", "EXIT 126", "EXIT 127"), f"--workdir {folder}: {out.how} {out.tail()}")


# 4 ------------------------------------------------------------------------------------------------

@check(4)
def mount_over_kernel_paths(programs):
    folder = programs.scratch / "cover"
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    for target in ("/", "/proc", "/proc/self", "/proc/self/attr", "/proc/sys", "/proc/1", "/dev", "/dev/pts", "/dev/null",
                   "/sys", "//proc", "/proc/", "/./proc", "/data/../proc", "/opt/atoll", "/opt/atoll/hidden", "/mnt"):
        out = programs.run(["/cases/04_procfs", "genuine"], options=["--mount", f"{folder}:{target}:rw"])
        expect(out.how == "EXIT 125", f"mount at {target}: {out.how} {out.tail()}")


@check(4)
def mount_through_a_link(programs):
    """A mounted folder holds symlinks; a second mount whose target walks through one must not land
    where it may not be named directly."""
    tree = programs.scratch / "linked"
    tree.mkdir(exist_ok=True)
    other = programs.scratch / "other"
    other.mkdir(exist_ok=True)
    (other / "planted").write_text("planted")
    for path in (tree, other):
        os.chmod(path, 0o755)
    for name, target in (("p", "/proc"), ("s", "/proc/sys"), ("d", "/dev"), ("a", "/opt/atoll"), ("e", "/etc"), ("u", "/usr"),
                         ("r", "/"), ("up", "../../../../..")):
        with contextlib.suppress(FileExistsError):
            os.symlink(target, tree / name)
        covered = "/" if name in ("r", "up") else target
        out = programs.run(["/bin/sh", "-c", f"test ! -e {covered}/planted && echo stopped: HOLDS && exit 10"],
                           options=["--mount", f"{tree}:/data:rw", "--mount", f"{other}:/data/{name}:ro"])
        expect(out.how in ("HOLDS", "EXIT 125"), f"a mount at /data/{name} -> {target}: {out.how}, exit {out.code} {out.tail()}")


# 5 ------------------------------------------------------------------------------------------------

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


# 12 -----------------------------------------------------------------------------------------------

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


# 19 -----------------------------------------------------------------------------------------------

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


# 20 -----------------------------------------------------------------------------------------------

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


# 21 -----------------------------------------------------------------------------------------------

@check(21)
def writable_root_is_its_own(programs):
    """What a sandbox writes in its root neither the host has nor the next sandbox, which gets the same slot."""
    mark = harness.marker()
    names = [f"{folder}/{mark}" for folder in ("", "/etc", "/opt", "/var", "/home", "/srv")]
    write = " && ".join(f"mkdir {name} && echo {mark} > {name}/file" for name in names)
    write += f" && echo 127.0.0.2 {mark} >> /etc/hosts && cp /etc/passwd /etc/new && echo {mark} >> /etc/new && mv /etc/new /etc/passwd"
    look = f"ls -d {' '.join(names)} 2>/dev/null; grep -l {mark} /etc/hosts /etc/passwd"
    for disk in ((), ("--disk", "48m", "--memory", "64m")):
        if disk and programs.rootless:
            continue
        options = [*WRITABLE_ROOT, *disk]
        out = programs.run(["/bin/sh", "-c", write + f" && {look}"], options=options)
        expect(out.code == 0, f"{disk}: {out.how} {out.tail()}")
        expect(sorted(out.output.split()) == sorted([*names, "/etc/hosts", "/etc/passwd"]), f"{disk}: {out.output}")
        for later in (options, []):
            out = programs.run(["/bin/sh", "-c", look], options=later)
            expect(out.output == "", f"the next sandbox has {out.output}")
        for name in names:
            expect(not os.path.lexists(name), f"the host has {name}")
        for name in ("/etc/hosts", "/etc/passwd"):
            expect(mark not in Path(name).read_text(), f"the host's {name} is changed")
    out = programs.run(["/bin/sh", "-c", f"mkdir /{mark}"])
    expect("Read-only file system" in out.tail(), f"without it: {out.tail()}")


@check(21)
def writable_root_is_reported(programs):
    """One wall is down, as it was asked for, and no other."""
    def layers(*options):
        out = programs.run(["/bin/true"], options=["-o", "json", *options], stderr=subprocess.DEVNULL)
        return set(json.loads(out.output)["isolation"]["layers"])
    expect(layers() - layers(*WRITABLE_ROOT) == {"read_only_root"}, f"{layers(*WRITABLE_ROOT)}")


# 22 -----------------------------------------------------------------------------------------------

def both_cores(programs):
    """An ordinary user has no cpu limit, and asking for one is an error."""
    return [] if programs.rootless else ["--cpus", "2"]


def peak_of(pid):
    return int(harness.status_of(pid).get("VmHWM", "0 kB").split()[0]) * 1024


def watch_memory(process, seconds):
    """The largest resident set of `atoll`, its launcher and its guest in that time."""
    peaks = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        for pid in [process.pid, *harness.descendants(process.pid)]:
            name = harness.name_of(pid)
            if name.startswith("atoll"):
                peaks[name] = max(peaks.get(name, 0), peak_of(pid))
        time.sleep(0.02)
    return peaks


@check(22)
def flood_unread(programs):
    """Nobody reads: everything stands still and nothing grows."""
    process = programs.start(["/cases/22_output_flood", "forever"], options=["--timeout", "3s"], stderr=subprocess.DEVNULL)
    peaks = watch_memory(process, 2.5)
    expect(peaks, "no process of atoll was seen")
    for name, size in peaks.items():
        expect(size < 48 << 20, f"{name} grew to {size >> 20} MiB while nobody read")
    began = time.monotonic()
    total = 0
    while chunk := process.stdout.read1(1 << 20):
        total += len(chunk)
        expect(time.monotonic() - began < 60, "output goes on after the time-out")
    process.wait(60)
    process.stdout.close()
    expect(process.returncode == 124, f"exit {process.returncode}")


@check(22)
def flood_discarded(programs):
    """Half a GiB through, read as fast as it comes: memory stays flat."""
    with open(os.devnull, "wb") as null:
        process = programs.start(["/cases/22_output_flood", "flood", str(512 << 20)], options=["--timeout", "60s", *both_cores(programs)],
                                 stdout=null, stderr=null)
        peaks = watch_memory(process, 60)
        process.wait(60)
    expect(process.returncode == 0, f"exit {process.returncode}")
    for name, size in peaks.items():
        expect(size < 48 << 20, f"{name} grew to {size >> 20} MiB")


@check(22)
def flood_as_json(programs):
    """Collected output is capped and says so; the program is not held up for ever."""
    process = programs.start(["/cases/22_output_flood", "flood", str(96 << 20)],
                             options=["-o", "json", "--max-output", "1m", "--timeout", "60s", *both_cores(programs)],
                             stderr=subprocess.DEVNULL)
    with open(process.stdout.fileno(), "rb", closefd=False) as stream:
        import threading
        box = {}
        reader = threading.Thread(target=lambda: box.update(text=stream.read()))
        reader.start()
        peaks = watch_memory(process, 60)
        reader.join(30)
    process.wait(30)
    record = json.loads(box["text"])
    expect(record["truncated"] is True, "truncated is not said")
    for key in ("stdout", "stderr"):
        expect(len(record[key]) <= 4 << 20, f"{key} has {len(record[key])} characters")
    for name, size in peaks.items():
        expect(size < 64 << 20, f"{name} grew to {size >> 20} MiB")


@check(22)
def flood_by_many(programs):
    """Sixty programs at once, all flooding: the sum is bounded too."""
    process = programs.start(["/bin/sh", "-c", "for i in $(seq 60); do /cases/22_output_flood forever & done; wait"],
                             options=["--timeout", "3s"], stderr=subprocess.DEVNULL)
    peaks = watch_memory(process, 2.5)
    for name, size in peaks.items():
        expect(size < 64 << 20, f"{name} grew to {size >> 20} MiB")
    while process.stdout.read1(1 << 20):
        pass
    process.wait(60)
    process.stdout.close()


# 23 -----------------------------------------------------------------------------------------------

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


# 24 -----------------------------------------------------------------------------------------------

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


# 25 -----------------------------------------------------------------------------------------------

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


# 26 -----------------------------------------------------------------------------------------------

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


# 34 -----------------------------------------------------------------------------------------------

@check(34, root_only="counted in the root pass")
def programs_are_small(programs):
    """Lines of the launcher and the guest with everything of ours that they link."""
    counted = subprocess.run([sys.executable, SOURCE / "tools/count_lines.py", "--build", programs.build], capture_output=True, text=True)
    expect(counted.returncode == 0, "; ".join(line for line in counted.stdout.splitlines() if "lines in" in line) or counted.stderr)


@check(34)
def programs_are_static_and_whole(programs):
    for name in ("atoll-launcher", "atoll-mounts", "atoll-zygote", "atoll-guest"):
        data = (programs.build / "bin" / name).read_bytes()
        expect(b"/lib64/ld-linux" not in data, f"{name} is not static")
        expect(b"ATOLL_TEST_WALLS_OFF" not in data, f"{name} knows how to drop a wall")
    size = (programs.build / "bin" / "atoll-guest").stat().st_size
    expect(size < 2 << 20, f"atoll-guest has {size} bytes")


@check(34)
def shipped_atoll_ignores_the_switch(programs):
    """The variable of the weak twins means nothing to the real programs."""
    out = programs.run(["/cases/09_namespaces", "user"], env={"ATOLL_TEST_WALLS_OFF": "seccomp,no_new_privs,user_namespace"})
    expect(out.how == "EPERM", f"{out.how} {out.tail()}")


WALLS = ("user_namespace", "pid_namespace", "network_namespace", "ipc_namespace", "uts_namespace", "cgroup_namespace",
         "memory_limit", "cpu_limit", "pids_limit", "no_capabilities", "no_new_privs", "seccomp", "landlock_scopes",
         "read_only_root", "masked_proc", "own_uids", "disk_limit", "file_limits", "clean_start")
# Walls that cannot stand without another one.
NEEDS = {"no_new_privs": ("seccomp", "landlock_scopes"), "user_namespace": ("own_uids", "no_capabilities")}


def reported(programs, off):
    out = programs.run(["/bin/true"], off, options=["-o", "json"], stderr=subprocess.DEVNULL)
    expect(out.code == 0, f"without {off}: exit {out.code} {out.tail()}")
    return json.loads(out.output)["isolation"]


@check(34, root_only="an ordinary user's sandbox has fewer walls to begin with")
def isolation_is_reported_truthfully(programs):
    """Every wall that is down is reported as missing, and none is when all are up."""
    expect(reported(programs, None)["missing"] == [], f"missing: {reported(programs, None)['missing']}")
    for wall in WALLS:
        off = (wall, *NEEDS.get(wall, ()))
        isolation = reported(programs, off)
        for name in off:
            # Scopes protect a guest that has no uid of its own; where it has one, they are not claimed.
            if name == "landlock_scopes" and "own_uids" not in off:
                expect(name not in isolation["layers"], f"{name} is down and reported as {isolation}")
                continue
            expect(name in isolation["missing"] and name not in isolation["layers"], f"{name} is down and reported as {isolation}")


# 35 -----------------------------------------------------------------------------------------------

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


# Signals by number, and why each is safe.
KILL_BY_NUMBER = {
    "src/engine/sys.cpp": "a child that only this function reaps",
    "src/engine/zygote_child.cpp": "signal 0 to everybody: whether anybody is left in the keeper's own pid namespace",
}


@check(35)
def no_signal_by_number(programs):
    for path in [*(SOURCE / "src/engine").glob("*.cpp"), *(SOURCE / "apps/atoll-launcher").glob("*.cpp")]:
        text = path.read_text()
        for match in re.finditer(r"(?<![\w_])(::)?(kill|killpg|tgkill|sigqueue)\s*\(", text):
            name = str(path.relative_to(SOURCE))
            expect(name in KILL_BY_NUMBER, f"{name} signals by number: {text[match.start():match.end() + 30]!r}")
