"""The pages that running a program copies: learnt once by a zygote, copied at once by each of its spares.

A fork shares all pages until one is written to, and what Python does is write: it counts references. A
child that knows the pages beforehand copies them while nobody waits for it.
"""
import ctypes
import mmap
import os
import select
import struct

from _atoll import finish

OWN = 1 << 63 | 1 << 56  # of an entry of pagemap: in memory, and nobody else's
ENTRY = struct.Struct("<Q")
LEARN_MS = 5000
MAX_PAGES = 1 << 20  # of what a zygote can write to, that a child is asked about

_ranges, _copy = None, None


class Range(ctypes.Structure):
    """As PageRange in src/enter/enter.hpp."""
    _fields_ = [("start", ctypes.c_size_t), ("size", ctypes.c_size_t)]


def learn(copy):
    """True in a child that is made for it, and has to run a program like any other. `copy`: the helper's function."""
    try:
        return _learn(copy)
    except OSError:
        return False  # without /proc, or processes: it is only for speed


def _learn(copy):
    global _ranges, _copy
    areas = _areas()
    count = sum(end - start for start, end in areas)
    if not 0 < count <= MAX_PAGES:
        return False
    entries = mmap.mmap(-1, count * ENTRY.size)  # shared with the child
    if _is_child():
        finish.before_exit(lambda: _look(areas, memoryview(entries)))
        return True
    pages = [page for page, (entry,) in zip(_numbers(areas), ENTRY.iter_unpack(entries)) if entry & OWN == OWN]
    entries.close()
    _ranges, _copy = _ranges_of(pages), copy
    return False


def copy():
    """In a child: all that it will write to."""
    if _ranges is not None:
        _copy(_ranges, len(_ranges))


def _areas():
    """Those that only this process can write to, by numbers of pages."""
    with open("/proc/self/maps", "rb") as maps:
        words = [line.split(None, 2)[:2] for line in maps]
    return [[int(number, 16) // mmap.PAGESIZE for number in area.split(b"-")]
            for area, rights in words if rights == b"rw-p"]


def _numbers(areas):
    for start, end in areas:
        yield from range(start, end)


def _is_child():
    """Forks. Waits for the child's end, but not for ever: it may hang in a module's code."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        return True
    os.close(writing)
    poll = select.poll()
    poll.register(reading, 0)  # the end is always told
    if not poll.poll(LEARN_MS):
        os.kill(pid, 9)
    os.close(reading)
    os.waitpid(pid, 0)
    return False


def _look(areas, entries):
    """What this allocates is taken for pages of the program's: so, little."""
    place = 0
    with open("/proc/self/pagemap", "rb", 0) as pagemap:
        for start, end in areas:
            size = (end - start) * ENTRY.size
            os.preadv(pagemap.fileno(), [entries[place:place + size]], start * ENTRY.size)
            place += size


def _ranges_of(pages):
    ranges = []
    for page in pages:
        if ranges and ranges[-1][1] == page:
            ranges[-1][1] += 1
        else:
            ranges.append([page, page + 1])
    return (Range * len(ranges))(*((first * mmap.PAGESIZE, (end - first) * mmap.PAGESIZE) for first, end in ranges))
