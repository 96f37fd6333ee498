"""Decodes the ExecArgs of the guest protocol (src/guest/messages.hpp) as far as it is wanted."""
import os
import struct

FIXED = struct.Struct("<IIHH")
LENGTH = struct.Struct("<I")


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


def read(fd):
    """All of the file, which is in memory and comes in one piece."""
    data = os.read(fd, os.fstat(fd).st_size)
    os.close(fd)
    return data


def packed(command, environment):
    """What command_and_environment() reads."""
    lists = (LENGTH.pack(len(words)) + b"".join(LENGTH.pack(len(word)) + word for word in words)
             for words in (command, environment))
    return bytes(FIXED.size + LENGTH.size) + b"".join(lists)


def command_and_environment(data):
    reader = Reader(data)
    reader.take(FIXED.size)
    reader.string()
    return reader.strings(), reader.strings()
