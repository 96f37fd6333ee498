"""Memory maps: a file changed through its map, a private one, an anonymous one shared with a child."""
import mmap
import os

with open("data.bin", "w+b") as file:
    file.write(b"abcdefgh" * 1024)
    file.flush()
    with mmap.mmap(file.fileno(), 0) as view:
        print(len(view), view[:8], view.find(b"ha"), view.rfind(b"abc"))
        view[0:4] = b"WXYZ"
        view.move(100, 0, 8)
        view.flush()
        view.seek(98)
        print(view.read(12))
    file.seek(0)
    print(file.read(8))
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as private:
        private[0] = 33
        print(private[:3])
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as constant:
        try:
            constant[0] = 1
        except TypeError as error:
            print(error)
    file.seek(0)
    print(file.read(3))
shared = mmap.mmap(-1, mmap.PAGESIZE)
pid = os.fork()
if pid == 0:
    shared.write(b"from the child")
    os._exit(0)
os.waitpid(pid, 0)
print(shared[:14])
