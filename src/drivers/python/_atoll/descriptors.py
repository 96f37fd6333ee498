"""Files that preloaded modules keep open: a child finds all descriptors closed, but the objects still there.

An object would close or write to whatever gets its number next, so a child opens those again that are
read from, and /dev/null in place of all others.
"""
import fcntl
import os

FIRST, LOW, HIGHEST = 3, 32, 1024


def occupy_low():
    """While modules are loaded: the numbers that a program's own files get are not to be theirs."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in range(FIRST, LOW):
        if fd != nothing:
            os.dup2(nothing, fd, inheritable=False)


def release_low():
    os.closerange(FIRST, LOW)


class Held:
    """What is open now but `ours`."""

    def __init__(self, ours):
        self._files = []  # (descriptor, path, place in it)
        for fd in set(range(FIRST, HIGHEST)) - ours:
            try:
                mode = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
            except OSError:
                continue
            path, place = None, 0
            if mode == os.O_RDONLY:
                try:
                    path, place = os.readlink("/proc/self/fd/%d" % fd), os.lseek(fd, 0, os.SEEK_CUR)
                except OSError:
                    path = None
            self._files.append((fd, path, place))

    def none(self):
        return not self._files

    def fit(self, limit):
        """Whether a process that may have `limit` open files can have these."""
        return limit == 0 or all(fd < limit for fd, _, _ in self._files)

    def open_again(self):
        for wanted, path, place in self._files:
            fd = _open_at(path, place) if path else None
            if fd is None:
                fd = os.open(os.devnull, os.O_RDWR)
            if fd != wanted:
                os.dup2(fd, wanted, inheritable=False)
                os.close(fd)


def _open_at(path, place):
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    os.lseek(fd, place, os.SEEK_SET)
    return fd
