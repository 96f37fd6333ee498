"""For a zygote's child that is made to run `print(1)` for nobody: see pages.py."""
import array
import atexit
import os
import socket
import sys

from _atoll import afresh, execargs, finish

COMMAND = (b"python3", b"-c", b"print(1)")

_guest = None


def seat():
    """A seat like that of any other child, with the program to run already there. Streams are the null device."""
    global _guest
    _keep_to_our_own_end()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    afresh.prepare()
    _guest, place = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
    passed = array.array("i", [null, null, null, _args_file()])
    _guest.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])
    return place.detach()


def _keep_to_our_own_end():
    """What modules have registered may be meant for the zygote's files."""
    atexit._clear()
    atexit.register(finish.last)
    if "logging" in sys.modules:
        atexit.register(sys.modules["logging"].shutdown)


def _args_file():
    fd = os.memfd_create("args")
    os.write(fd, execargs.packed(COMMAND, afresh.USUAL))
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
