"""A child of a zygote that is in its sandbox before there is anything to run: it waits for that at a socket."""
import array
import fcntl
import os
import resource
import socket
import stat
import struct

CONTROL_FD = 3
HIGH_FD = 64  # not among the numbers that a program's own files get
END = struct.Struct("<6q")  # EndNotice in src/guest/zygote.hpp
MAX_FDS = 5  # stdin, stdout, stderr, a file with the ExecArgs, and perhaps a control socket

_place = _owner = None


def is_one(fd):
    return stat.S_ISSOCK(os.fstat(fd).st_mode)


def wait(fd):
    """Returns the descriptor of the ExecArgs, with all others in their places. Or never."""
    global _place, _owner
    fds = array.array("i")
    _place, _owner = socket.socket(fileno=fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD)), os.getpid()
    os.close(fd)
    try:
        message, control, _, _ = _place.recvmsg(2, socket.CMSG_SPACE(MAX_FDS * fds.itemsize))
    except BaseException:  # a signal, of somebody else in the sandbox
        os._exit(127)
    for _, _, data in control:
        fds.frombytes(data)
    if message != b"x" or len(fds) not in (MAX_FDS - 1, MAX_FDS):
        os._exit(0)  # the guest has ended
    _place.send(b"x")  # and from now on it counts how this process ends
    stdin, stdout, stderr, args, *rest = fds
    for target, source in enumerate((stdin, stdout, stderr)):
        os.dup2(source, target)
        os.close(source)
    if rest:
        os.dup2(rest[0], CONTROL_FD)  # which was stdin's number: args came after it
        os.close(rest[0])
    return args


def tell_end(status):
    """The last word of this process, after all that anybody could see of it. Whether somebody hears it."""
    if _place is None or os.getpid() != _owner:
        return False  # a process that the user's code has forked
    try:
        _place.send(_end_notice(status))
        _place.close()
        return True
    except OSError:
        return False  # the code has closed it, or the guest is gone


def _end_notice(status):
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    times = (own.ru_utime + children.ru_utime, own.ru_stime + children.ru_stime)
    user, system = ((int(time), int(time % 1 * 1e6)) for time in times)
    return END.pack(status, *user, *system, max(own.ru_maxrss, children.ru_maxrss))
