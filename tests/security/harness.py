"""Runs programs in sandboxes for the security tests and says what became of them.

Two sets of programs: `real` (what ships) and `weak` (tests/security/walls_off.cpp linked in, walls
named in ATOLL_TEST_WALLS_OFF are down). Attackers run inside sandboxes only.
"""

import contextlib
import errno
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

LINUX = tuple(int(part) for part in re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
ROOTLESS_ID = 61234  # nobody's uid on a Debian host
SLOWER = int(os.environ.get("ATOLL_TEST_SLOWER", "1"))  # how much slower than real cores this machine is
FIRST_ZYGOTE_SLOT, SLOTS_PER_ZYGOTE = 8192, 2048  # src/engine/slot.hpp
DEADLINE = 90.0 * SLOWER  # seconds that any one run may take


def poll_until(condition, seconds, step=0.02):
    """The condition's first true value, or its last one when the time is up."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() >= end:
            return value
        time.sleep(step)


def marker():
    return "mark-" + uuid.uuid4().hex[:16]


# ---------------------------------------------------------------- what the host shows

def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(path, default=""):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return default


def status_of(pid):
    """/proc/PID/status as a dictionary, empty when the process is gone."""
    fields = {}
    for line in read(f"/proc/{pid}/status").splitlines():
        name, _, value = line.partition(":")
        fields[name] = value.strip()
    return fields


def parent_of(pid):
    return int(status_of(pid).get("PPid", "0") or 0)


def descendants(root):
    parents = {pid: parent_of(pid) for pid in pids()}
    found, frontier = [], [root]
    while frontier:
        here = frontier.pop()
        for pid, parent in parents.items():
            if parent == here and pid not in found:
                found.append(pid)
                frontier.append(pid)
    return found


def name_of(pid):
    return status_of(pid).get("Name", "")


def links_of(pid):
    """What the descriptors of a process stand for, by number: of one moment, in which it is stopped."""
    held = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(held, signal.SIGSTOP)
        poll_until(lambda: status_of(pid).get("State", "X")[0] in "TZX", DEADLINE)
        return {fd: os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(held, signal.SIGCONT)
        os.close(held)


def with_marker(text):
    """Processes whose command line holds the text; never this one."""
    found = []
    for pid in pids():
        if pid != os.getpid() and text in read(f"/proc/{pid}/cmdline").replace("\0", " "):
            found.append(pid)
    return found


def ns_of(pid, kind):
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")
    except OSError:
        return ""


# ---------------------------------------------------------------- one run

@dataclass
class Outcome:
    code: int
    output: str
    seconds: float = 0.0
    how: str = ""
    expired: bool = False

    def __post_init__(self):
        self.how = self.classify()

    def classify(self):
        """THROUGH, or the errno/signal/HOLDS that the attacker named, or EXIT n, or BROKEN."""
        said = re.findall(r"(through|stopped|broken): *(\S*)", self.output)
        if self.expired:
            return "HUNG"
        if self.code == 0 and said and said[-1][0] == "through":
            return "THROUGH"
        if 10 <= self.code <= 99 and said and said[-1][0] == "stopped":
            return said[-1][1]
        if self.code in (124, 125, 126, 127, 137):
            return f"EXIT {self.code}"
        if 128 < self.code < 128 + 65:
            with contextlib.suppress(ValueError):
                return signal.Signals(self.code - 128).name
        return f"BROKEN (exit {self.code})"

    def tail(self, size=1500):
        text = self.output.strip()
        return text if len(text) <= size else "…" + text[-size:]


@dataclass
class Programs:
    """The folders of one build, and as whom `atoll` is started."""
    build: Path
    rootless: bool = False
    scratch: Path = None
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def __post_init__(self):
        self.build = Path(self.build).resolve()
        folder = tempfile.mkdtemp(prefix="atoll-sec-")
        self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
        self.scratch = Path(folder)
        # The cases are copied: sandboxes of an ordinary user must reach them too.
        self.cases = self.scratch / "cases"
        shutil.copytree(self.build / "security-cases", self.cases)
        self.home = self.scratch / "home"
        self.home.mkdir()
        for path in [self.scratch, self.cases, self.home]:
            os.chmod(path, 0o755)
        if self.rootless:
            os.chown(self.home, ROOTLESS_ID, ROOTLESS_ID)
            # The programs as well: a build below /root is out of an ordinary user's sight.
            for kind in ("bin", "weak"):
                target = self.scratch / kind
                target.mkdir(mode=0o755)
                for name in ("atoll", "atoll-launcher", "atoll-mounts", "atoll-guest"):
                    if (self.build / kind / name).exists():
                        shutil.copy2(self.build / kind / name, target / name)

    def close(self):
        self._stack.close()

    def atoll(self, weak):
        base = self.scratch if self.rootless else self.build
        return str(base / ("weak" if weak else "bin") / "atoll")

    def command(self, arguments, off=None, options=(), mounts=True):
        """The command line that runs `arguments` in a sandbox; off=None means the real programs."""
        line = []
        if self.rootless:
            line += ["setpriv", f"--reuid={ROOTLESS_ID}", f"--regid={ROOTLESS_ID}", "--clear-groups"]
        line += [self.atoll(off is not None), "run"]
        if mounts:
            line += ["--mount", f"{self.cases}:/cases:ro"]
        line += ["-q", *options, "--", *arguments]
        return line

    def environment(self, off=None, extra=None):
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        if off is not None:
            env["ATOLL_TEST_WALLS_OFF"] = ",".join(off)
        env.update(extra or {})
        return env

    def start(self, arguments, off=None, options=(), env=None, mounts=True, **kwargs):
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.STDOUT)
        kwargs.setdefault("start_new_session", True)
        return subprocess.Popen(self.command(arguments, off, options, mounts),
                                env=self.environment(off, env), **kwargs)

    def run(self, arguments, off=None, options=(), env=None, deadline=DEADLINE, mounts=True, **kwargs):
        began = time.monotonic()
        process = self.start(arguments, off, options, env, mounts, **kwargs)
        expired = False
        try:
            output, _ = process.communicate(timeout=deadline)
        except subprocess.TimeoutExpired:
            expired = True
            end_process(process)
            output, _ = process.communicate()
        code = process.returncode
        return Outcome(code if code >= 0 else 128 - code, (output or b"").decode("utf-8", "replace"),
                       time.monotonic() - began, expired=expired)

    def run_on_terminal(self, arguments, off=None, options=(), deadline=DEADLINE, sandbox_tty=True):
        """With a terminal of the runner's as the controlling terminal of `atoll`."""
        master, slave = pty.openpty()
        began = time.monotonic()

        def take_terminal():
            os.setsid()
            import fcntl
            import termios
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        options = [*options, *(["-i", "-t"] if sandbox_tty else [])]
        process = subprocess.Popen(self.command(arguments, off, options), env=self.environment(off, {"TERM": "dumb"}),
                                   stdin=slave, stdout=slave, stderr=slave, preexec_fn=take_terminal)
        os.close(slave)
        output, expired = b"", False
        while True:
            if time.monotonic() - began > deadline:
                expired = True
                end_process(process)
                break
            ready, _, _ = select.select([master], [], [], 0.1)
            if ready:
                try:
                    chunk = os.read(master, 65536)
                except OSError as error:
                    if error.errno == errno.EIO:
                        break
                    raise
                if not chunk:
                    break
                output += chunk
            elif process.poll() is not None:
                break
        process.wait(60)
        os.close(master)
        code = process.returncode
        return Outcome(code if code >= 0 else 128 - code, output.decode("utf-8", "replace"),
                       time.monotonic() - began, expired=expired)

    @contextlib.contextmanager
    def held(self, arguments, off=None, options=(), env=None):
        """A sandbox whose program says "ready" and goes on until its stdin ends."""
        process = self.start(arguments, off, ["-i", *options], env, stdin=subprocess.PIPE)
        try:
            line = b""
            ready, _, _ = select.select([process.stdout], [], [], DEADLINE)
            if ready:
                line = process.stdout.readline()
            if line.strip() != b"ready":
                end_process(process)
                rest, _ = process.communicate(timeout=60)
                raise AssertionError(f"the other sandbox did not get ready: {(line + rest).decode('utf-8', 'replace')}")
            yield process
        finally:
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                end_process(process)
            process.stdout.close()


def end_process(process):
    """Ends one `atoll` that we started; what it started is its own business, which is the test."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(60)


def sandbox_slots(folder):
    found = [*Path(folder).glob("slot-*"), *Path(folder).glob("box-*/slot-*")]
    return [slot for slot in found if int(slot.name[5:]) < FIRST_ZYGOTE_SLOT]


def reset_idle_slots():
    """Slots are reused with the limits they last had: a limit that is to be absent must be lifted first.

    Only of slots that nobody is in; the last one to leave is given a moment. Those of zygotes, which stay
    for minutes, are never a sandbox's.
    """
    end = time.monotonic() + 1  # for all of them: others of this host may be in some for long

    def idle(file):
        return poll_until(lambda: not read(file).strip(), end - time.monotonic())

    lifts = {"pids": ("pids.max", "max"), "memory": ("memory.memsw.limit_in_bytes", "-1"),
             "cpu": ("cpu.cfs_quota_us", "-1")}
    for controller, (name, value) in lifts.items():
        for slot in sandbox_slots(f"/sys/fs/cgroup/{controller}/atoll"):
            if not idle(slot / "tasks"):
                continue
            names = [name] if controller != "memory" else [name, "memory.limit_in_bytes", "memory.kmem.tcp.limit_in_bytes"]
            for one in names:
                with contextlib.suppress(OSError):
                    (slot / one).write_text(value)
    for slot in sandbox_slots("/sys/fs/cgroup/atoll"):
        if not idle(slot / "cgroup.procs"):
            continue
        for name, value in (("pids.max", "max"), ("memory.max", "max"), ("cpu.max", "max")):
            with contextlib.suppress(OSError):
                (slot / name).write_text(value)
