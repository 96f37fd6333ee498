"""The launcher's and the guest's ends of a zygote, for its tests."""

import functools
import json
import os
import selectors
import socket
import struct
import subprocess
import time
import unittest

from support import DEADLINE, FOLDER, HERE, PYTHON, SCRIPT, Run, environment

BOX = struct.Struct("<6IQ")
MAGIC, VERSION = 0x47595A41, 2
SEEN = struct.Struct("<5Q")


@functools.lru_cache()
def helper_path():
    """The stand-in for the C helper, built here unless the build has done so."""
    path = os.environ.get("ATOLL_FAKE_ENTER")
    if not path:
        path = str(FOLDER / "fake_enter.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path, str(HERE / "fake_enter.c")], check=True)
    return path


@functools.lru_cache()
def driver_path():
    path = FOLDER / "driver.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return str(path)


def zygote_environment(**more):
    """As the launcher has it, but for the home: matplotlib's caches lie there."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(FOLDER),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ATOLL_ENTER": helper_path(),
        **more,
    }


class Zygote:
    def __init__(self, *words, env=None, cwd=None, boxes=0):
        """`boxes`: how many to hand over before it is ready."""
        path = str(FOLDER / f"zygote-{os.getpid()}-{time.monotonic_ns()}")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(path)
        listener.listen(64)
        read_end, ready = os.pipe()

        def place():
            os.dup2(listener.fileno(), 103)
            os.dup2(ready, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        with open(driver_path(), "rb") as script:
            self.process = subprocess.Popen(
                [PYTHON, "-", "zygote", *words],
                preexec_fn=place,
                pass_fds=(3, 4),
                cwd=cwd,
                stdin=script,
                stdout=subprocess.DEVNULL,
                env=zygote_environment(**(env or {})),
            )
        os.close(ready)
        self.path = path
        self.launcher = self.connect()
        listener.close()
        self.early = [self.box() for _ in range(boxes)]
        with os.fdopen(read_end) as file:
            text = file.read()
        self.ready = json.loads(text) if text else None

    def connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.settimeout(DEADLINE)
        connection.connect(self.path)
        return connection

    def box(self, gid=1001):
        """The guest's end of a new box's link."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(self.launcher, [BOX.pack(MAGIC, VERSION, 1000, gid, 64, 0, 1 << 33)], [theirs.fileno()])
        theirs.close()
        return ours

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        for connection in (self.launcher, *self.early):
            connection.close()
        self.process.kill()
        self.process.wait()


REQUEST = b"x"


def exec_args(argv, env, cwd=""):
    def string(text):
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        return struct.pack("<I", len(data)) + data

    def strings(texts):
        return struct.pack("<I", len(texts)) + b"".join(map(string, texts))

    return struct.pack("<IIHH", 0, 0, 24, 80) + string(cwd) + strings(argv) + strings(env)


def file_with(content):
    """As the guest hands over what an execution is about."""
    fd = os.memfd_create("args")
    with open(fd, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


class Execution:
    """One execution on a link: its pipes, and the report of the stand-in."""

    def __init__(self, link, argv, env=None, cwd=None, stdin=b"", control=False, word=REQUEST, tasks=()):
        pipes = [os.pipe() for _ in range(4)]  # stdin, stdout, stderr, report
        self._input, theirs = pipes[0][1], [pipes[0][0], *(pipe[1] for pipe in pipes[1:])]
        env = environment() if env is None else env
        message = exec_args(argv, [f"{name}={value}" for name, value in env.items()], cwd or str(FOLDER))
        theirs += [file_with(message), os.pidfd_open(os.getpid()), *map(os.dup, tasks)]
        self._outputs = [pipe[0] for pipe in pipes[1:]]
        self.control = None
        if control:
            self.control, other = socket.socketpair()
            self.control.settimeout(DEADLINE)
            theirs.append(other.detach())
        socket.send_fds(link, [word + bytes([len(tasks)])], theirs)
        for fd in theirs:
            os.close(fd)
        os.write(self._input, stdin)
        os.close(self._input)

    def outcome(self):
        """(exit status as subprocess has it, stdout, stderr); what the helper saw is kept in .seen."""
        collected = {fd: b"" for fd in self._outputs}
        with selectors.DefaultSelector() as ready:
            for fd in self._outputs:
                ready.register(fd, selectors.EVENT_READ)
            while ready.get_map():
                events = ready.select(DEADLINE)
                assert events, f"nothing in {DEADLINE} seconds: {collected}"
                for key, _ in events:
                    data = os.read(key.fd, 1 << 16)
                    collected[key.fd] += data
                    if not data:
                        ready.unregister(key.fd)
                        os.close(key.fd)
        out, err, report = (collected[fd] for fd in self._outputs)
        if len(report) != SEEN.size + 4:
            return None, out, err
        self.seen = SEEN.unpack(report[: SEEN.size])
        status = struct.unpack("<i", report[SEEN.size :])[0]
        return os.waitstatus_to_exitcode(status), out, err


class ZygoteCase(unittest.TestCase):
    maxDiff = None
    words = ("--no-ipython",)

    @classmethod
    def setUpClass(cls):
        cls.zygote = Zygote(*cls.words)
        cls.link = cls.zygote.box()

    @classmethod
    def tearDownClass(cls):
        cls.link.close()
        cls.zygote.close()

    def run_code(self, code, **named):
        status, out, err = Execution(self.link, ["python3", "-c", code], **named).outcome()
        return status, out.decode(), err.decode()


class Context:
    """A context in a zygote's child."""

    def __init__(self, link):
        self.execution = Execution(link, ["python3", "@context"], control=True)
        self._file = self.execution.control.makefile("rb")
        self.ready = self.message()

    def message(self):
        head = self._file.readline()
        word, size = head.split(b" ")
        return word.decode(), self._file.read(int(size))

    def run(self, code):
        code, messages = code.encode(), []
        self.execution.control.sendall(b"run %d\n%b" % (len(code), code))
        while not messages or messages[-1][0] != "done":
            messages.append(self.message())
        return Run(messages)

    def close(self):
        self.execution.control.shutdown(socket.SHUT_WR)
        outcome = self.execution.outcome()
        self._file.close()
        self.execution.control.close()
        return outcome
