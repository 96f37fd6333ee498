"""The zygote: an interpreter with its modules loaded, which forks a child into a sandbox for each execution.

A launcher hands over sandboxes ("boxes") through the socket on descriptor 3. Each brings a link, whose
other end the sandbox's guest holds: a message there is one execution to start, and its end is the box's.
One thread, no descriptor kept longer than needed, nothing believed that a socket says.
"""
import _signal
import array
import atexit
import errno
import fcntl
import gc
import json
import os
import select
import socket
import struct
import sys
import time

from _atoll import afresh, descriptors, execargs, finish, pages, preload, rehearsal, script, seat, spare
from _atoll.enter import ARGS_FD, Helper

LISTEN_FD, READY_FD = 3, 4
HIGH_FD = 200  # where a preloaded module does not close them by accident
MAGIC, VERSION = 0x47595A41, 2
BOX = struct.Struct("<6IQ")
REQUEST = b"x"
LATER = b"l"  # the same, for a sandbox that may do nothing for long: with as little memory as may be
FIXED_FDS = 6  # of an execution: stdin, stdout, stderr, report, args, pid 1 of the sandbox; then its cgroup's files
MAX_FDS, MAX_TASKS, MAX_BOXES = 32, 16, 4096
BACKLOG = 64
QUIET_MS = 1  # with nothing to do: time to fork a spare
STUCK_SECONDS = 30
# After how long it ends: with nothing to do; and with what has come in not done, as the next is not far.
TIMES = (("ATOLL_ZYGOTE_IDLE", 600), ("ATOLL_ZYGOTE_STUCK", STUCK_SECONDS))

_kept = []  # what a child would free on its way to the user's program, and copy for that


def run(words, usual):
    """Serves until it is no longer wanted. Returns in a child only: what the child is to call.

    `usual`: the names of the modules that any interpreter has loaded when it starts.
    """
    words = " ".join(words).split()  # a launcher passes them as one
    idle, stuck = (float(os.environ.get(name) or seconds) for name, seconds in TIMES)
    with_ipython = not (words and words[0] == "--no-ipython")
    listener, ready = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD) for fd in (LISTEN_FD, READY_FD))
    descriptors.occupy_low()
    atexit.register(finish.last)  # before all others, so that it is called after them
    sys.path[:] = afresh.remember()
    loaded, missing = preload.prepare(words if with_ipython else words[1:], with_ipython)
    descriptors.release_low()
    helper = Helper(descriptors.Held({listener, ready}))
    afresh.settle()
    finish.flush()  # what modules have printed while they were loaded would come out of every child
    gc.collect()
    gc.freeze()
    _signal.setitimer(_signal.ITIMER_REAL, STUCK_SECONDS)  # a module's hooks of a fork may hang
    if helper.can_enter_whole() and pages.learn(helper.copy_pages):  # else there are no spares
        return _begin(usual, rehearsal.seat())
    connections = socket.socket(fileno=listener)
    connections.listen(BACKLOG)  # not before: a sandbox that finds no zygote starts its programs plainly
    report = {"ready": True, "loaded": loaded, "missing": missing, "threads": _threads()}
    try:
        os.write(ready, json.dumps(report, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    except OSError:
        pass  # whoever asked has not waited for the answer
    os.close(ready)
    zygote = Zygote(connections, helper, idle, stuck)
    _kept.append(locals())
    gc.freeze()
    if not zygote.serve():
        os._exit(0)
    if zygote.spare_channel is not None:
        spare.wait(zygote.spare_channel, helper)
    return _begin(usual, ARGS_FD)


def _begin(usual, args):
    """In the child, inside the sandbox. `args`: a file with the ExecArgs, or where to wait for that."""
    try:
        if seat.is_one(args):
            args = seat.wait(args)
        argv, environment = execargs.command_and_environment(execargs.read(args))
        argv = [os.fsdecode(word) for word in argv]
    except execargs.BadMessage:
        os._exit(127)
    understood = afresh.become(environment)
    if argv[1:] == ["@context"]:
        from _atoll import context

        context.run()
    if not understood or not argv:
        script.run_real_interpreter(argv or [sys.executable])
    finish.end_early()
    return script.prepare(argv, usual)


class Box:
    """What is needed to enter it (pidfd, tasks) comes with each execution, and is closed after it."""

    def __init__(self, link, fields):
        self.link, self.pidfd, self.tasks = link, -1, []
        _, _, self.uid, self.gid, self.open_files, _, self.data_bytes = fields


class Zygote:
    def __init__(self, listener, helper, idle, stuck):
        self._listener, self._helper = listener, helper
        self._idle, self._stuck = idle, stuck
        self._launchers, self._boxes = {}, {}  # by descriptor
        self._poll = select.poll()
        self._wake, wake_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        _signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.siginterrupt(_signal.SIGCHLD, False)
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        for fd in (listener.fileno(), self._wake):
            self._poll.register(fd, select.POLLIN)
        self._spares = spare.Spares(self._poll, helper.can_enter_whole())
        self.spare_channel = None  # in a spare: where its execution comes from

    def serve(self):
        """False when nobody needs it any more. True in a child, and in a spare."""
        deadline = time.monotonic() + self._idle
        while True:
            left = deadline - time.monotonic()
            if not self._boxes and left <= 0:
                return False
            lacking = self._spares.lacking(len(self._boxes))
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            events = self._poll.poll(QUIET_MS if lacking else None if self._boxes else max(1, left * 1000))
            _signal.setitimer(_signal.ITIMER_REAL, self._stuck)  # SIGALRM, for which there is no handler
            if lacking and not events:
                self.spare_channel = self._spares.grow()
                if self.spare_channel is not None:
                    self._let_go()
                    return True
                self._rehearse()
            for fd, _ in events:
                if fd == self._wake:
                    self._reap()
                    continue
                if self._spares.heard(fd):
                    continue
                deadline = time.monotonic() + self._idle
                if self._heard(fd):
                    self._let_go()
                    return True

    def _heard(self, fd):
        if fd in self._boxes:
            return self._execution(fd)
        if fd in self._launchers:
            self._box(fd)
        elif fd == self._listener.fileno():
            self._accept()
        return False

    def _accept(self):
        try:
            connection, _ = self._listener.accept()
        except OSError as error:
            if error.errno == errno.EINVAL:  # it listens no more, and would be told so for ever
                os._exit(1)
            return
        self._launchers[connection.fileno()] = connection
        self._poll.register(connection.fileno(), select.POLLIN)

    def _box(self, fd):
        message, fds = _received(self._launchers[fd], BOX.size + 1)
        if message is None:
            self._poll.unregister(fd)
            self._launchers.pop(fd).close()
            return
        fields = BOX.unpack(message) if len(message) == BOX.size else None
        if fields is None or fields[:2] != (MAGIC, VERSION) or len(fds) != 1 or len(self._boxes) >= MAX_BOXES:
            _close_all(fds)
            return
        try:
            link = socket.socket(fileno=fds[0])
        except OSError:
            _close_all(fds)
            return
        self._boxes[fds[0]] = Box(link, fields)
        self._poll.register(fds[0], select.POLLIN)

    def _execution(self, fd):
        """True in the child that is made for it. What it is about stands in a file that only the child reads."""
        box = self._boxes[fd]
        message, fds = _received(box.link, 3)
        try:
            if message == b"":
                return False  # nothing there after all
            if not _is_request(message, fds):
                self._drop(fd)
                _close_all(fds)
                return False
            rest = _split(box, message, fds)
            if message[:1] == LATER or not self._spares.give(box, rest):
                if self._helper.enter(box, rest):
                    return True
        except OSError:
            pass  # the guest sees the end of the report
        _close_all(fds)
        return False

    def _drop(self, fd):
        self._poll.unregister(fd)
        self._boxes.pop(fd).link.close()

    def _reap(self):
        try:
            while os.read(self._wake, 4096):
                pass
        except BlockingIOError:
            pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass

    def _rehearse(self):
        """What handing over an execution touches, while nobody waits: every fork shares all pages anew."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        box = Box(ours, (0,) * 7)
        self._poll.register(ours, select.POLLIN)
        passed = array.array("i", [self._wake] * FIXED_FDS)
        theirs.sendmsg([REQUEST + b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
        for fd, _ in self._poll.poll(0):
            if fd == ours.fileno():
                message, fds = _received(box.link, 3)
                if _is_request(message, fds):
                    self._spares.rehearse(box, _split(box, message, fds))
                _close_all(fds)
        self._poll.unregister(ours)
        ours.close()
        theirs.close()

    def _let_go(self):
        """In the child: descriptors are closed, and these objects must not close others of their numbers."""
        self._listener.detach()
        self._spares.let_go()
        for connection in self._launchers.values():
            connection.detach()
        for box in self._boxes.values():
            box.link.detach()


def _is_request(message, fds):
    return message is not None and len(message) == 2 and message[:1] in (REQUEST, LATER) and message[1] <= MAX_TASKS \
        and len(fds) - FIXED_FDS - message[1] in (0, 1)


def _split(box, message, fds):
    """Gives the box what it is entered with; returns the descriptors of the execution itself."""
    tasks_end = FIXED_FDS + message[1]
    box.pidfd, box.tasks = fds[FIXED_FDS - 1], fds[FIXED_FDS:tasks_end]
    return fds[:FIXED_FDS - 1] + fds[tasks_end:]


def _received(connection, size):
    """(message, descriptors); None for a message at the end, or when it is not to be believed."""
    fds = array.array("i")
    try:
        message, control, flags, _ = connection.recvmsg(
            size, socket.CMSG_SPACE(MAX_FDS * fds.itemsize), socket.MSG_CMSG_CLOEXEC | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return b"", []
    except OSError:
        return None, []
    for level, kind, data in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(data[:len(data) - len(data) % fds.itemsize])
    if not message or flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
        _close_all(fds)
        return None, []
    return message, list(fds)


def _close_all(fds):
    for fd in fds:
        try:
            os.close(fd)
        except OSError:
            pass


def _threads():
    try:
        return len(os.listdir("/proc/self/task")) - 1
    except OSError:
        return sys.modules["threading"].active_count() - 1
