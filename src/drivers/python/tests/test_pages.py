"""The pages that a zygote's children copy ahead of time."""

import subprocess
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


class Pages(unittest.TestCase):
    def test_a_child_has_copies_of_what_the_last_one_wrote_to(self):
        done = subprocess.run([PYTHON, "-B", "-c", CODE, SOURCES], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("[]\n[3] 1\n", ""))

    def test_one_that_hangs_is_not_waited_for(self):
        code = CODE.replace("area[WRITTEN * PAGE] = 2", "import time; time.sleep(1000)").replace(
            "if pages.learn", "pages.LEARN_MS = 100\nif pages.learn")
        done = subprocess.run([PYTHON, "-B", "-c", code, SOURCES], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("[]\n[] 1\n", ""))


if __name__ == "__main__":
    unittest.main()
