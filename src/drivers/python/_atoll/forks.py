"""Children of a context: what they inherit, and that their output comes after what was printed before."""
import _signal
import fcntl
import os
import sys
import time

SIOCOUTQ = 0x5411
PATIENCE = 0.5  # seconds; a reader that is busy longer has a client that does not read


class Forks:
    def __init__(self, wire, streams, interrupts):
        self._wire, self._streams, self._interrupts = wire, streams, interrupts
        self.forked = False  # this process is a child that the user's code forked
        os.register_at_fork(before=self.settle, after_in_child=self._in_child)
        self._watch_programs()

    def settle(self):
        """Waits a moment until the messages sent so far have been read.

        A child writes to a pipe, prints go through the socket: once the reader has the socket's bytes,
        it cannot meet the child's before them.
        """
        wire = self._wire
        if not (wire.dirty and wire.open):
            return
        wire.dirty = False
        deadline = time.monotonic() + PATIENCE
        try:
            while _unread_bytes(wire.fd) and time.monotonic() < deadline:
                time.sleep(0.0001)
        except OSError:
            pass

    def _in_child(self):
        self.forked = True
        self._wire.abandon()
        self._streams.use_descriptors()
        self._interrupts.leave_to_default()

    def _watch_programs(self):
        """These start programs without the hooks of os.register_at_fork."""
        import _posixsubprocess

        for owner, name in ((_posixsubprocess, "fork_exec"), (sys.modules.get("subprocess"), "_fork_exec"),
                            (os, "system"), (os, "posix_spawn"), (os, "posix_spawnp")):
            function = getattr(owner, name, None)
            if function is not None:
                setattr(owner, name, self._settled(function))
        os.system = self._interruptible(os.system)

    def _settled(self, function):
        def start(*args, **named):
            self.settle()
            return function(*args, **named)

        start.__name__ = start.__qualname__ = function.__name__
        start.__doc__ = function.__doc__
        return start


    def _interruptible(self, function):
        """system(3) ignores the signal that ends its command; the code that called it is to end too."""

        def system(command):
            status = function(command)
            if status & 0x7F == _signal.SIGINT and not self.forked:
                raise KeyboardInterrupt
            return status

        system.__doc__ = function.__doc__
        return system


def _unread_bytes(fd):
    return int.from_bytes(fcntl.ioctl(fd, SIOCOUTQ, bytes(4)), sys.byteorder)
