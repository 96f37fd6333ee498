"""What the driver's tests share: the bundled script, and the host's end of a context."""

import atexit
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
import bundle_driver  # noqa: E402
from tests_support import read_json  # noqa: E402

PYTHON = os.environ.get("ATOLL_PYTHON", "/usr/bin/python3")
SCRIPT = bundle_driver.bundled()
DEADLINE = 60  # seconds; only against hanging
_folder = tempfile.TemporaryDirectory(prefix="atoll-driver-")
atexit.register(_folder.cleanup)
FOLDER = pathlib.Path(_folder.name)
FOLDER.chmod(0o755)


def environment(**more):
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return {"LANG": "C.UTF-8", "HOME": str(FOLDER), "PYTHONUNBUFFERED": "1", **kept, **more}


def wait_until(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited in vain")
        time.sleep(0.001)


class Run:
    """What one run has sent, in order."""

    def __init__(self, messages):
        self.messages = messages

    def bodies(self, word):
        return [body for kind, body in self.messages if kind == word]

    def text(self, word):
        return b"".join(self.bodies(word)).decode("utf-8", "surrogateescape")

    @property
    def out(self):
        return self.text("stdout")

    @property
    def err(self):
        return self.text("stderr")

    @property
    def result(self):
        bodies = self.bodies("result")
        return read_json(bodies[0]) if bodies else None

    @property
    def plain(self):
        return self.result["text/plain"] if self.result else None

    @property
    def displays(self):
        return [read_json(body) for body in self.bodies("display")]

    @property
    def error(self):
        bodies = self.bodies("error")
        return read_json(bodies[0]) if bodies else None

    @property
    def status(self):
        return json.loads(self.bodies("done")[0])["exit_code"]

    def __repr__(self):
        return "\n".join(f"{word}: {body[:2000]!r}" for word, body in self.messages)


class Driver:
    """A driver process and the socket to it. The pipes of its descriptors 1 and 2 are read by threads."""

    def __init__(self, before="", env=None, cwd=None):
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(DEADLINE)
        self.process = subprocess.Popen(
            [PYTHON, "-c", before + SCRIPT, "context"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: _become_leader(theirs.fileno()),
            pass_fds=(3,),
            env=environment(**(env or {})),
            cwd=cwd or FOLDER,
        )
        theirs.close()
        self._file = self.socket.makefile("rb")
        self.pipes = {"stdout": b"", "stderr": b""}
        self._readers = [
            threading.Thread(target=self._read_pipe, args=(name,), daemon=True) for name in self.pipes
        ]
        for reader in self._readers:
            reader.start()
        word, body = self.message()
        assert word == "ready", (word, body)
        self.ready = json.loads(body)

    def _read_pipe(self, name):
        pipe = getattr(self.process, name)
        while True:
            data = os.read(pipe.fileno(), 1 << 16)
            if not data:
                return
            self.pipes[name] += data

    def message(self):
        """(word, body), or None at the end."""
        head = self._file.readline()
        if not head:
            return None
        word, size = head.split(b" ")
        body = self._file.read(int(size))
        assert len(body) == int(size)
        return word.decode("ascii"), body

    def send(self, code):
        code = code if isinstance(code, bytes) else code.encode("utf-8", "surrogatepass")
        self.socket.sendall(b"run %d\n%b" % (len(code), code))

    def rest(self, messages=None):
        """The messages of the run that goes on, up to its end or the driver's."""
        messages = messages if messages is not None else []
        while True:
            message = self.message()
            if message is None:
                raise AssertionError(f"the driver has ended: {messages[-5:]} {self.pipes}")
            messages.append(message)
            if message[0] == "done":
                return Run(messages)

    def run(self, code):
        self.send(code)
        return self.rest()

    def until(self, word, content=b""):
        """Messages up to one of this kind that holds `content`."""
        messages = []
        while True:
            messages.append(self.message())
            assert messages[-1] is not None, messages
            if messages[-1][0] == word and content in messages[-1][1]:
                return messages

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)

    def close(self):
        """The exit status after the socket's end."""
        self._file.close()
        self.socket.close()
        try:
            return self.process.wait(DEADLINE)
        finally:
            if self.process.returncode is None:
                self.process.kill()
                self.process.wait()
            for reader in self._readers:
                reader.join(DEADLINE)
            self.process.stdout.close()
            self.process.stderr.close()


def _become_leader(control):
    os.setsid()
    os.dup2(control, 3)


class ContextCase(unittest.TestCase):
    """One context for all tests of a class, as a session has it; `self.fresh()` for one of its own."""

    before = ""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.driver = Driver(cls.before)

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def fresh(self, **named):
        driver = Driver(self.before, **named)
        self.addCleanup(driver.close)
        return driver

    def run_code(self, code):
        return self.driver.run(code)

    def ok(self, code):
        run = self.run_code(code)
        self.assertEqual((run.status, run.error), (0, None), run)
        return run

    def fails(self, code, name, status=1):
        run = self.run_code(code)
        self.assertIsNotNone(run.error, run)
        self.assertEqual((run.error["ename"], run.status), (name, status), run)
        return run


WITH_IPYTHON = "import IPython\n"


def both_ways(namespace, cases):
    """Makes NamePlain and NameWithIPython of each class of test methods."""
    for case in cases:
        for suffix, before in (("Plain", ""), ("WithIPython", WITH_IPYTHON)):
            name = case.__name__ + suffix
            namespace[name] = type(
                name, (case, ContextCase), {"before": before, "__module__": namespace["__name__"]}
            )
