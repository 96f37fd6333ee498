"""Decodes the ExecArgs of the guest protocol (src/guest/messages.hpp) as far as it is wanted."""
import struct

FIXED = struct.Struct("<IIHH")
LENGTH = struct.Struct("<I")
MAX_CWD = 4096


class BadMessage(Exception):
    pass


class Reader:
    def __init__(self, data):
        self._data = memoryview(data)

    def take(self, size):
        if size > len(self._data):
            raise BadMessage("cut short")
        taken, self._data = self._data[:size], self._data[size:]
        return bytes(taken)

    def number(self):
        return LENGTH.unpack(self.take(LENGTH.size))[0]

    def string(self):
        return self.take(self.number())

    def strings(self):
        count = self.number()
        if count > len(self._data) // LENGTH.size:  # each has a length
            raise BadMessage("a count beyond the end")
        return [self.string() for _ in range(count)]


def working_directory(data):
    """The only part that the zygote itself looks at."""
    reader = Reader(data)
    reader.take(FIXED.size)
    size = reader.number()
    cwd = reader.take(size) if size < MAX_CWD else b""
    if size >= MAX_CWD or b"\0" in cwd:
        raise BadMessage("a directory that cannot be")
    return cwd


def command_and_environment(data):
    reader = Reader(data)
    reader.take(FIXED.size)
    reader.string()
    return reader.strings(), reader.strings()
