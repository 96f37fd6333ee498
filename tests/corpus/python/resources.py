"""Limits a program can set for itself, and modest memory: many objects, big buffers, many files."""
import errno
import os
import resource

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(errno.errorcode[error.errno], 40 < len(held) < 64)
for fd in held:
    os.close(fd)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
try:
    with open("large", "wb") as file:
        for _ in range(64):
            file.write(b"z" * 65536)
except OSError as error:
    print(errno.errorcode[error.errno], os.path.getsize("large"))
block = bytearray(64 << 20)
block[::4096] = b"\1" * len(block[::4096])
print(sum(block), len({i: str(i) for i in range(100000)}))
del block
pid = os.fork()
if pid == 0:
    resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
    try:
        bytearray(400 << 20)
    except MemoryError:
        os._exit(17)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
