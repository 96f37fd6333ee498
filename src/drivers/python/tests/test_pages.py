"""The pages that a zygote's children copy ahead of time."""

import os
import subprocess
import tempfile
import unittest

from support import HERE, PYTHON

SOURCES = str(HERE.parent)

# A child writes to one page of eight; the zygote's next child finds it copied, and no other.
CODE = """
import ctypes, mmap, os, sys
sys.path.insert(0, sys.argv[1])
from _atoll import finish, pages

PAGE, WRITTEN = mmap.PAGESIZE, 3
area = mmap.mmap(-1, 8 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for page in range(8):
    area[page * PAGE] = 1
first = ctypes.addressof(ctypes.c_char.from_buffer(area)) // PAGE

def own():
    with open("/proc/self/pagemap", "rb") as pagemap:
        pagemap.seek(first * 8)
        entries = pages.ENTRY.iter_unpack(pagemap.read(8 * 8))
        return [page for page, (entry,) in enumerate(entries) if entry & pages.OWN == pages.OWN]

def copy(ranges, count):
    for one in ranges[:count]:
        for address in range(one.start, one.start + one.size, PAGE):
            if first <= address // PAGE < first + 8:
                area[address - first * PAGE] = 1  # as the helper has the kernel do it

if pages.learn(copy):
    area[WRITTEN * PAGE] = 2
    finish._before_exit()
    os._exit(0)
if os.fork() == 0:
    print(own(), flush=True)
    pages.copy()
    print(own(), area[WRITTEN * PAGE], flush=True)
    os._exit(0)
os.wait()
"""

# What a zygote does before it is ready: a child of it runs the program of the rehearsal to its end.
REHEARSAL = """
import atexit, os, sys
sys.path.insert(0, sys.argv[1])
from _atoll import afresh, finish, pages, rehearsal, zygote

usual = frozenset(sys.modules)
atexit.register(finish.last)
afresh.remember()
afresh.settle()
rehearsal.COMMAND = (b"python3", b"-c", b"import os; os.write(%d, b'ran')" % int(sys.argv[2]))
if pages.learn(lambda *_: None):
    zygote._begin(usual, rehearsal.seat())()
    finish.end(0)
print(len(pages._ranges) > 0)
"""

# A spare says what it copies, on the way on which it then says that it is ready.
SPARE = """
import os, socket, sys
sys.path.insert(0, sys.argv[1])
from _atoll import pages, spare

ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
way = theirs.fileno()
pages._ranges, pages._copy = "learnt", lambda ranges, count: os.write(way, b"%s %d" % (ranges.encode(), count))
if os.fork() == 0:
    spare.wait(theirs, None)
theirs.close()
print(ours.recv(100), ours.recv(100) == spare.READY)
"""


class Pages(unittest.TestCase):
    def test_a_child_has_copies_of_what_the_last_one_wrote_to(self):
        done = subprocess.run([PYTHON, "-B", "-c", CODE, SOURCES], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("[]\n[3] 1\n", ""))

    def test_one_that_hangs_is_not_waited_for(self):
        code = CODE.replace("area[WRITTEN * PAGE] = 2", "import time; time.sleep(1000)").replace(
            "if pages.learn", "pages.LEARN_MS = 100\nif pages.learn")
        done = subprocess.run([PYTHON, "-B", "-c", code, SOURCES], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("[]\n[] 1\n", ""))

    def test_a_program_is_rehearsed_to_its_end(self):
        reading, writing = os.pipe()
        with tempfile.TemporaryDirectory() as folder:  # without modules that a program might mean
            done = subprocess.run([PYTHON, "-B", "-c", REHEARSAL, SOURCES, str(writing)], capture_output=True, text=True,
                                  timeout=60, pass_fds=[writing], cwd=folder)
        os.close(writing)
        with open(reading, "rb") as ran:
            self.assertEqual((done.stdout, done.stderr, ran.read()), ("True\n", "", b"ran"))

    def test_a_spare_that_is_ready_has_its_copies(self):
        done = subprocess.run([PYTHON, "-B", "-c", SPARE, SOURCES], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("b'learnt 6' True\n", ""))


if __name__ == "__main__":
    unittest.main()
