"""What the tests of the drivers share: starts a driver bare, without a sandbox, and speaks its protocol.

A test plays guest and host: it holds the other ends of the pipes and of the control socket, and like the
guest it empties the pipes before it looks at a message (docs/context-protocol.md).
"""
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

DEADLINE = 60  # seconds until a driver that says nothing counts as hung; nothing waits that long otherwise


def bundle(tool):
    """The text of the script that a bundle_driver.py makes."""
    with tempfile.TemporaryDirectory(prefix="atoll-driver-") as folder:
        path = os.path.join(folder, "script")
        subprocess.run([sys.executable, "-B", str(tool), path], check=True)
        with open(path, encoding="utf-8") as script:
            return script.read()


def open_descriptors():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            os.fstat(int(name))
            found.append(int(name))
        except OSError:
            pass  # the listing's own
    return found


def read_json(body):
    """As the host reads an object (src/contexts/json_object.cpp): what it would refuse is an AssertionError."""
    value = json.loads(body)
    assert type(value) is dict, body[:200]
    assert len(value) <= 64, f"{len(value)} members"
    for key in value:
        assert len(json.dumps(key, ensure_ascii=False).encode()) <= 256, f"a name of {len(key)} characters"
    json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair
    depth, level = 0, [value]
    while level:
        depth += any(isinstance(each, (dict, list)) for each in level)
        level = [child for each in level if isinstance(each, (dict, list))
                 for child in (each.values() if isinstance(each, dict) else each)]
    assert depth <= 64, f"nested {depth} deep"
    assert len(body) <= (16 << 20) + (64 << 10), f"{len(body)} bytes"
    return value


class Outcome:
    """What one run gave: all messages in order, output of the pipes among them as stdout and stderr."""

    def __init__(self, messages):
        self.messages = messages
        self.done = json.loads(self.bodies("done")[-1]) if self.bodies("done") else None

    def bodies(self, word):
        return [body for name, body in self.messages if name == word]

    def _one(self, word):
        found = self.bodies(word)
        assert len(found) <= 1, f"{len(found)} messages `{word}`: {self}"
        return read_json(found[0]) if found else None

    @property
    def stdout(self):
        return b"".join(self.bodies("stdout")).decode("utf-8", "replace")

    @property
    def stderr(self):
        return b"".join(self.bodies("stderr")).decode("utf-8", "replace")

    @property
    def result(self):
        return self._one("result")

    @property
    def text(self):
        """The text/plain of the result, None without one."""
        result = self.result
        return result and result["text/plain"]

    @property
    def error(self):
        return self._one("error")

    @property
    def displays(self):
        return [read_json(body) for body in self.bodies("display")]

    @property
    def exit_code(self):
        return self.done["exit_code"]

    def __repr__(self):
        return "\n".join(f"{word}: {body[:2000]!r}" for word, body in self.messages) or "no messages"


class Driver:
    """One driver in a process group of its own. Close it, or use it as a context manager."""

    def __init__(self, argv, cwd="/", env=None):
        self._control, theirs = socket.socketpair()
        self._pipes = {"stdout": os.pipe(), "stderr": os.pipe()}
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_DUP2, self._pipes["stdout"][1], 1),
                   (os.POSIX_SPAWN_DUP2, self._pipes["stderr"][1], 2),
                   (os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)]
        actions += [(os.POSIX_SPAWN_CLOSE, each) for each in open_descriptors()
                    if each > 3 and os.get_inheritable(each)]
        words = ["/usr/bin/env", "-C", str(cwd), *argv]
        self.pid = os.posix_spawn(words[0], words, env or dict(os.environ), file_actions=actions, setpgroup=0,
                                  setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])  # Python ignores them
        theirs.close()
        for _, write_end in self._pipes.values():
            os.close(write_end)
        self._pipes = {name: ends[0] for name, ends in self._pipes.items()}
        for descriptor in self._pipes.values():
            os.set_blocking(descriptor, False)
        self._control.setblocking(False)
        self._buffer = b""
        self._events = []  # (word, body) that nobody has taken yet
        self.status = None
        self.ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Reading.

    def _drain(self, name):
        while name in self._pipes:
            try:
                data = os.read(self._pipes[name], 1 << 16)
            except BlockingIOError:
                return
            if not data:
                os.close(self._pipes.pop(name))
                return
            self._events.append((name, data))

    def _pump(self, deadline):
        """Waits for something and takes it in."""
        left = deadline - time.monotonic()
        wanted = [*self._pipes.values()] + ([] if self.ended else [self._control])
        if left <= 0 or not wanted:
            raise TimeoutError(f"the driver says nothing more; so far: {Outcome(self._events)}")
        ready = select.select(wanted, [], [], left)[0]
        data = b""
        if self._control in ready:
            try:
                data = self._control.recv(1 << 20)
                self.ended = not data
            except BlockingIOError:
                pass
            except ConnectionResetError:
                self.ended = True
        for name in list(self._pipes):
            self._drain(name)
        self._buffer += data
        while b"\n" in self._buffer:
            header, rest = self._buffer.split(b"\n", 1)
            word, length = header.decode("ascii").split(" ")
            if len(rest) < int(length):
                return
            self._buffer = rest[int(length):]
            if word == "settle":
                self._control.send(b"settled 0\n")
            else:
                self._events.append((word, rest[:int(length)]))

    def until(self, is_last, seconds=DEADLINE):
        """All events up to the first one for which is_last(word, body)."""
        deadline = time.monotonic() + seconds
        at = 0
        while True:
            for at in range(at, len(self._events)):
                if is_last(*self._events[at]):
                    taken, self._events = self._events[:at + 1], self._events[at + 1:]
                    return Outcome(taken)
            at = len(self._events)
            if self.ended:
                raise EOFError(f"the driver has ended; so far: {Outcome(self._events)}")
            self._pump(deadline)

    def until_output(self, text, word="stdout"):
        """Until `text` has come in one piece; for a run that goes on."""
        return self.until(lambda name, body: name == word and text.encode() in body)

    def has_written_to_pipes(self, within):
        """Whether a program writes before anybody reads what the code has printed."""
        select.select([self._control], [], [], DEADLINE)
        return bool(select.select(list(self._pipes.values()), [], [], within)[0])

    # Writing.

    def ready(self):
        return json.loads(self.until(lambda word, _: word == "ready").bodies("ready")[0])

    def send(self, code):
        data = code if isinstance(code, bytes) else code.encode()
        self.send_raw(b"run %d\n" % len(data) + data)

    def send_raw(self, data):
        deadline = time.monotonic() + DEADLINE
        view = memoryview(data)
        while view:
            try:
                view = view[self._control.send(view):]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError("the driver does not read") from None
                select.select([self._control], [self._control], [], 1)
                if select.select([self._control], [], [], 0)[0]:
                    self._pump(deadline)

    def finish(self):
        return self.until(lambda word, _: word == "done")

    def run(self, code):
        self.send(code)
        return self.finish()

    def interrupt(self):
        os.killpg(self.pid, signal.SIGINT)

    # Ending.

    def wait(self, seconds=DEADLINE):
        """The exit status once the process has ended; negative for a signal."""
        deadline = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > deadline:
                raise TimeoutError("the driver does not end")
            else:
                time.sleep(0.002)
        return self.status

    def hang_up(self):
        """The host goes away."""
        self._control.shutdown(socket.SHUT_WR)

    def close(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if self.status is None:
            self.wait()
        self._control.close()
        for descriptor in self._pipes.values():
            os.close(descriptor)
        self._pipes = {}


class Case(unittest.TestCase):
    """Tests of one driver. All classes of a file with the same argv share one context and its folder."""
    maxDiff = None
    argv = ()  # set by the subclass
    _shared = {}  # argv -> (folder, driver)

    @classmethod
    def setUpClass(cls):
        key = tuple(cls.argv)
        if key not in Case._shared:
            folder = tempfile.TemporaryDirectory(prefix="atoll-driver-")
            unittest.addModuleCleanup(folder.cleanup)
            driver = Driver(cls.argv, cwd=folder.name)
            unittest.addModuleCleanup(driver.close)
            driver.ready()
            Case._shared[key] = (folder.name, driver)
        cls.folder, cls.driver = Case._shared[key]

    def fresh(self, argv=None, **more):
        driver = Driver(argv or self.argv, **more)
        self.addCleanup(driver.close)
        driver.ready()
        return driver

    def run_code(self, code, exit_code=0):
        outcome = self.driver.run(code)
        self.assertEqual(outcome.exit_code, exit_code, outcome)
        return outcome

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path
