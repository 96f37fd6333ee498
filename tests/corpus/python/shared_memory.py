"""A named block in /dev/shm that a child changes and the parent sees."""
import multiprocessing
import os
from multiprocessing import shared_memory

block = shared_memory.SharedMemory(create=True, size=1 << 20)
try:
    block.buf[:5] = b"hello"
    print(os.path.exists("/dev/shm/" + block.name.lstrip("/")), block.size)

    def shout(name):
        again = shared_memory.SharedMemory(name=name)
        again.buf[:5] = bytes(again.buf[:5]).upper()
        again.buf[-1] = 77
        again.close()

    child = multiprocessing.get_context("fork").Process(target=shout, args=(block.name,))
    child.start()
    child.join()
    print(bytes(block.buf[:5]), block.buf[(1 << 20) - 1], child.exitcode)
finally:
    block.close()
    block.unlink()
print(os.path.exists("/dev/shm/" + block.name.lstrip("/")))
numbers = shared_memory.ShareableList([1, 2.5, "three", None, b"\x00\xff"])
numbers[0] = 10
print(list(numbers), len(numbers))
numbers.shm.close()
numbers.shm.unlink()
