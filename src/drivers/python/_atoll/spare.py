"""Spare children of a zygote: forked ahead of time, with all done that needs no sandbox yet.

A spare waits outside for the execution that it is for, and then goes into that execution's sandbox as it
is: neither the fork nor the pages that a first step in Python copies are on anybody's way then. What it
has touched by then is charged to the zygote, so only a bounded number of boxes gets one.
"""
import array
import os
import select
import socket
import struct
import sys

from _atoll import afresh, pages

STOCK, MAX_BOXES, MAX_FAILURES = 2, 64, 3
READY = b"r"
FIELDS = struct.Struct("<4IQ")
MAX_FDS = 32


class Spares:
    """The zygote's side."""

    def __init__(self, poll, wanted):
        self._poll, self._wanted = poll, wanted
        self._waiting, self._ready = {}, {}  # channels by descriptor
        self._failures = 0

    def lacking(self, boxes):
        return self._wanted and self._failures < MAX_FAILURES and boxes <= MAX_BOXES \
            and len(self._waiting) + len(self._ready) < STOCK

    def grow(self):
        """A new spare. In the spare: its channel; else None."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        try:
            pid = os.fork()
        except OSError:
            self._failures += 1
            pid = None
        if pid == 0:
            return theirs
        theirs.close()
        if pid is None:
            ours.close()
            return None
        self._waiting[ours.fileno()] = ours
        self._poll.register(ours.fileno(), select.POLLIN)
        return None

    def heard(self, fd):
        """True if the descriptor is one of ours: the spare is ready, or gone."""
        channel = self._waiting.pop(fd, None)
        if channel is None:
            channel = self._ready.pop(fd, None)
            if channel is None:
                return False
        elif channel.recv(1) == READY:
            self._ready[fd] = channel
            return True
        self._failures += 1
        self._forget(channel)
        return True

    def give(self, box, fds):
        """Hands an execution to a spare. False when there is none: nothing has happened then."""
        while self._ready:
            channel = self._ready.pop(next(iter(self._ready)))
            sent = _send(channel, box, fds)
            self._forget(channel)
            if sent:
                return True
        return False

    def rehearse(self, box, fds):
        """give() to nobody."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        _send(ours, box, fds)
        ours.close()
        theirs.close()

    def let_go(self):
        """In a child: these objects must not close descriptors that are no longer theirs."""
        for channel in [*self._waiting.values(), *self._ready.values()]:
            channel.detach()

    def _forget(self, channel):
        self._poll.unregister(channel.fileno())
        channel.close()


def _send(channel, box, fds):
    fields = FIELDS.pack(box.uid, box.gid, box.open_files, len(box.tasks), box.data_bytes)
    try:
        passed = array.array("i", [box.pidfd, *box.tasks, *fds])
        channel.sendmsg([fields], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)],
                        socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)
        return True
    except OSError:
        return False


class Box:
    """As a spare knows it."""

    def __init__(self, data, fds):
        self.uid, self.gid, self.open_files, tasks, self.data_bytes = FIELDS.unpack_from(data)
        self.pidfd, self.tasks = fds[0], fds[1:1 + tasks]


def wait(channel, helper):
    """In the spare: gets ready, waits for its execution, and returns inside."""
    try:
        _wait(channel, helper)
    except BaseException:
        os._exit(127)  # nothing may lead back into the zygote; whoever waits sees the end of the report


def _wait(channel, helper):
    fd = channel.detach()
    os.closerange(3, fd)
    os.closerange(fd + 1, 1 << 20)
    channel = socket.socket(fileno=fd)
    pages.copy()
    afresh.prepare()
    channel.send(READY)
    fds = array.array("i")
    data, control, _, _ = channel.recvmsg(FIELDS.size + 1, socket.CMSG_SPACE(MAX_FDS * fds.itemsize),
                                          socket.MSG_CMSG_CLOEXEC)
    if len(data) != FIELDS.size:
        os._exit(0)  # the zygote has ended
    for _, _, passed in control:
        fds.frombytes(passed)
    box = Box(data, fds)
    channel.detach()
    helper.enter_whole(fds[1 + len(box.tasks):], box)
    threads = sys.modules.get("threading")
    if threads is not None:
        threads.main_thread()._set_native_id()
