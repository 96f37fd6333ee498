"""sys.stdout and sys.stderr of a context: every write becomes a message at once."""
import builtins
import io
import os
import sys

CHUNK = 64 << 10


class Channel(io.RawIOBase):
    """Takes bytes and sends them as messages; in a forked child, writes them to the descriptor."""

    mode = "wb"

    def __init__(self, wire, word, fd):
        self._wire, self._word, self._fd = wire, word, fd
        self.name = "<%s>" % word.decode()

    def write(self, data):
        if type(data) is not bytes:
            data = bytes(data)
        size, wire = len(data), self._wire
        if wire is None:
            _write_to(self._fd, data)
            return size
        if size > CHUNK:
            for piece in _pieces(data):
                wire.send(self._word, piece)
        elif size:
            wire.send(self._word, data)
        if wire.deferred:
            wire.deferred = False
            raise KeyboardInterrupt
        return size

    def use_descriptor(self):
        self._wire = None

    def writable(self):
        return True

    def fileno(self):
        return self._fd

    def isatty(self):
        return False

    def close(self):
        """Stays open: the next run prints, too."""


def _pieces(data):
    """Cuts between characters where the bytes are UTF-8."""
    start = 0
    while start < len(data):
        end = start + CHUNK
        if end < len(data):
            for back in range(4):
                if data[end - back] & 0xC0 != 0x80:
                    end -= back
                    break
        yield data[start:end]
        start = end


def _write_to(fd, data):
    while data:
        data = data[os.write(fd, data):]


class Streams:
    def __init__(self, wire):
        self._channels = []
        sys.stdout = sys.__stdout__ = self._stream(wire, b"stdout", 1, "surrogateescape")
        sys.stderr = sys.__stderr__ = self._stream(wire, b"stderr", 2, "backslashreplace")
        builtins.print = _whole_print((sys.stdout, sys.stderr), builtins.print)

    def _stream(self, wire, word, fd, errors):
        channel = Channel(wire, word, fd)
        self._channels.append(channel)
        stream = io.TextIOWrapper(channel, "utf-8", errors, newline="\n", write_through=True)
        stream.mode = "w"
        return stream

    def use_descriptors(self):
        for channel in self._channels:
            channel.use_descriptor()


def _whole_print(streams, builtin_print):
    """The built-in print writes its words, blanks and the newline one by one: a message each."""

    def print(*values, sep=" ", end="\n", file=None, flush=False):
        if file is None:
            file = sys.stdout
        usual = (sep is None or type(sep) is str) and (end is None or type(end) is str)
        if not usual or file is not streams[0] and file is not streams[1]:
            builtin_print(*values, sep=sep, end=end, file=file, flush=flush)
            return
        text = (" " if sep is None else sep).join(map(str, values))
        file.write(text + ("\n" if end is None else end))

    print.__module__, print.__qualname__ = "builtins", "print"
    print.__doc__ = builtin_print.__doc__
    return print
