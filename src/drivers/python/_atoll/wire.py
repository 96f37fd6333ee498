"""The control socket of a context: whole messages in, whole messages out (docs/context-protocol.md).

Any thread may send. A message is never cut by a signal, whatever the user's handlers raise: the
protocol would be lost with it.
"""
import _signal
import errno
import select
from _collections import deque
from _thread import allocate_lock, get_ident
from os import close, read, write  # as they are now: the code may put others in their place

MAX_HEADER = 64
MAX_BODY = 256 << 20
# A Unix stream socket takes this much as one piece, or nothing: no signal can cut it.
ONE_PIECE = 80 << 10
GONE = (errno.EPIPE, errno.ECONNRESET, errno.EBADF, errno.ENOTCONN)
_ALL = _signal.valid_signals()

_ESCAPES = {code: "\\u%04x" % code for code in range(32)}
_ESCAPES.update({0x22: '\\"', 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"})


def quote(text):
    """A JSON string; lone surrogates, which UTF-8 does not have, become question marks later on."""
    return '"' + text.translate(_ESCAPES) + '"'


class Wire:
    def __init__(self, fd):
        self.fd = fd
        self.open = True
        self.deferred = False  # an interrupt came during send(): its caller raises it
        self.dirty = False  # something was sent since forks.settle() last looked
        self._queue = deque()
        self._lock = allocate_lock()
        self._owner = 0
        self._unread = b""
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)

    def send(self, word, body):
        queue = self._queue
        queue.append(b"%b %d\n%b" % (word, len(body), body))
        me = get_ident()
        if self._owner == me:
            return  # a signal handler or finalizer within this thread's send(), which sees to the queue
        while queue:
            with self._lock:
                self._owner = me
                try:
                    while queue:
                        self._write(queue.popleft())
                finally:
                    self._owner = 0

    def _write(self, data):
        if len(data) <= ONE_PIECE:
            self._write_all(data)
            return
        with no_signals():
            self._write_all(data)

    def _write_all(self, data):
        if not self.open:
            return
        self.dirty = True
        try:
            sent = write(self.fd, data)
            while sent < len(data):
                data = memoryview(data)[sent:]
                sent = write(self.fd, data)
        except OSError as problem:
            if problem.errno not in GONE:  # then a signal handler raised it
                raise
            self.open = False

    def wait(self):
        """Returns when there is something to receive(). Loses nothing if a signal handler raises."""
        if not self._unread:
            self._poll.poll()

    def receive(self):
        """The next message as (word, body), or None when there will be none."""
        with no_signals():
            try:
                return self._receive()
            except (OSError, ValueError):
                return None

    def _receive(self):
        data = self._unread
        while b"\n" not in data:
            more = read(self.fd, 1 << 16)
            data += more
            if not more or (len(data) > MAX_HEADER and b"\n" not in data):
                return None
        head, _, body = data.partition(b"\n")
        word, size = head.split(b" ")
        size = int(size)
        if not 0 <= size <= MAX_BODY:
            return None
        pieces, missing = [body], size - len(body)
        while missing > 0:
            more = read(self.fd, min(missing, 1 << 20))
            if not more:
                return None
            pieces.append(more)
            missing -= len(more)
        body = b"".join(pieces)
        self._unread = body[size:]
        return word, body[:size]

    def abandon(self):
        """For a forked child: the socket is its parent's."""
        self.open = False
        self._queue.clear()
        self._lock = allocate_lock()
        self._owner = 0
        try:
            close(self.fd)
        except OSError:
            pass


class no_signals:
    """Signals to this thread wait for the end of the block."""

    def __enter__(self):
        self._mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, _ALL)

    def __exit__(self, *_):
        _signal.pthread_sigmask(_signal.SIG_SETMASK, self._mask)
