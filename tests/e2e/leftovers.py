"""What belongs to one server and to no row of its store: processes, sockets, records, tokens, files."""
import json
import os
import pathlib
import signal
import sqlite3
import struct
import time

DEADLINE = 60
UNFINISHED = "('creating', 'ready', 'running', 'paused')"


def processes():
    """From process id to (words of its command line, parent)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        found[int(pid)] = (words, parent)
    return found


def launchers_of(run_folder):
    """Of a run folder: process id to parent. A child that is about to become a guest or a helper looks like one, too."""
    return {pid: parent for pid, (words, parent) in processes().items()
            if words[0].endswith(b"atoll-launcher") and str(run_folder).encode() in words}


def is_alone(pid):
    """Whether it is a launcher itself, also when its parent is gone: a child that a killed launcher has left on its way to
    become something else is of that one's session, or the first process of a sandbox's pid namespace."""
    try:
        with open(f"/proc/{pid}/status") as file:
            numbers = next(line.split()[1:] for line in file if line.startswith("NSpid:"))
        return len(numbers) == 1 and os.getsid(pid) == pid
    except (OSError, StopIteration):
        return False


def kill_all(pids):
    """Those that are still there: a launcher ends with its server, and its helpers when they are done."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def launcher_folders(server):
    """The run folders of the launchers that this server started."""
    return {words[words.index(b"--run") + 1] for words, parent in processes().values()
            if words[0].endswith(b"atoll-launcher") and parent == server}


def guests_below(run_folders):
    """Guests of launchers that serve one of these folders."""
    found = processes()
    return [pid for pid, (words, parent) in found.items()
            if words[0] == b"atoll-guest" and any(folder in found.get(parent, ([], 0))[0] for folder in run_folders)]


def run_folder_of(data):
    """As the server chooses it: the same data folder always gives the same name."""
    number = 14695981039346656037
    for byte in os.path.realpath(data).encode():
        number = (number ^ byte) * 1099511628211 % 2**64
    base = "/run/atoll" if os.geteuid() == 0 else f"/tmp/atoll-{os.geteuid()}"
    return pathlib.Path(base) / f"s{(number ^ number >> 32) % 2**32:08x}"


def names(folder, ending=""):
    try:
        return {entry.name.removesuffix(ending) for entry in folder.iterdir() if entry.name.endswith(ending)}
    except FileNotFoundError:
        return set()


def pid_of(record):
    """The guest of a sandbox, as the launcher wrote it down (src/engine/box_record.cpp)."""
    try:
        return struct.unpack_from("=IIIi", record.read_bytes())[3]
    except (OSError, struct.error):
        return None  # gone by now


class Leftovers:
    def __init__(self, data):
        self.data, self.run = pathlib.Path(data), run_folder_of(data)

    def rows(self, query):
        database = sqlite3.connect(f"file:{self.data}/atoll.db?mode=ro", uri=True, timeout=DEADLINE)
        try:
            return [row[0] for row in database.execute(query)]
        finally:
            database.close()

    def guests(self, written_down):
        """Those whose launcher serves this run folder, and those that were written down and outlived theirs."""
        found = processes()
        launchers = {pid for pid, (words, _) in found.items()
                     if words[0].endswith(b"atoll-launcher") and str(self.run).encode() in words}
        return {pid for pid, (words, parent) in found.items()
                if words[0] == b"atoll-guest" and (parent in launchers or pid in written_down)}

    def listening(self, sandboxes):
        """Which of these still have a socket: a guest has it as long as it lives."""
        text = pathlib.Path("/proc/net/unix").read_text()
        return {name for name in sandboxes if f"/{name}.sock" in text}

    def differences(self, parked=0):
        """One sentence for each kind of thing that is too many or too few."""
        sandboxes = set(self.rows(f"SELECT sandbox_id FROM sessions WHERE state IN {UNFINISHED}"))
        records = names(self.run / "boxes")
        guests = {pid_of(self.run / "boxes" / name) for name in records} - {None}
        found = []

        def compare(what, there, known, more=0):
            missing, extra = known - there, there - known
            if missing or len(extra) != more:
                found.append(f"{what}: missing {sorted(missing)}, left over {sorted(extra)} (expected {more})")

        compare("records", records, sandboxes, parked)
        compare("sockets", names(self.run, ".sock"), records)
        compare("tokens", names(self.data / "sandboxes", ".token"), records)
        compare("guests", self.guests(guests), guests)
        ended = set(self.rows(f"SELECT sandbox_id FROM sessions WHERE state NOT IN {UNFINISHED}"))
        compare("guests of ended sessions", self.listening(ended), set())
        compare("journals", names(self.data / "journals"),
                set(self.rows("SELECT id FROM executions WHERE state IN ('queued', 'running')")))
        outputs = {name for _, _, files in os.walk(self.data / "outputs") for name in files}  # folders may go meanwhile
        compare("outputs", outputs, set(self.rows("SELECT execution_id FROM outputs WHERE in_file = 1")))
        compare("snapshots", names(self.data / "snapshots"), set(self.rows("SELECT file FROM snapshots")))
        return found

    def check(self, parked=0):
        """Sandboxes end in the background: they have a while for it."""
        deadline = time.monotonic() + DEADLINE
        while found := self.differences(parked):
            if time.monotonic() > deadline:
                raise AssertionError("\n".join(found))
            time.sleep(0.005)

    def check_stopped(self):
        """After a clean end there is no sandbox and no launcher."""
        deadline = time.monotonic() + DEADLINE
        while True:
            left = {"launchers": sorted(launchers_of(self.run)), "run folder": sorted(names(self.run)),
                    "tokens": sorted(names(self.data / "sandboxes"))}
            if not any(left.values()):
                return
            if time.monotonic() > deadline:
                raise AssertionError(json.dumps(left))
            time.sleep(0.005)
