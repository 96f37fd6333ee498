"""A Python with modules loaded that forks itself once for each byte from standard input: the floor of a Python life.

usage: floor.py SHARED_OBJECT [MODULE…]   answers each byte with one, when the child has run print(1) and ended
"""
import ctypes
import gc
import importlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "src/drivers/python"))

from _atoll.preload import STANDARD  # noqa: E402


def main():
    library, *modules = sys.argv[1:]
    floor = ctypes.PyDLL(library).atoll_bench_floor  # keeps the interpreter's lock: the child goes on with it
    for name in STANDARD + modules:
        importlib.import_module(name)
    null = os.open(os.devnull, os.O_WRONLY)
    gc.freeze()
    os.write(1, b"!")
    while os.read(0, 1):
        pid = floor()
        if pid == 0:
            os.dup2(null, 1)
            exec(compile("print(1)", "<string>", "exec"))
            sys.stdout.flush()
            os._exit(0)
        status = os.waitpid(pid, 0)[1] if pid > 0 else 1
        if status != 0:
            sys.exit("the floor's child failed")
        os.write(1, b".")


if __name__ == "__main__":
    main()
