"""The launcher's protocol and the guest's by hand, for tests that ask what `atoll` never would.

Mirrors src/engine/launcher_protocol.hpp and src/guest/protocol.hpp; a launcher that is asked in any
other layout answers EBADMSG, so a drift shows at once.
"""

import ctypes
import fcntl
import os
import random
import socket
import struct
import subprocess
from pathlib import Path

U16, U32, U64 = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
MAGIC, VERSION = 0x48434E4C, 2
CREATE, DESTROY, FREEZE, THAW, USAGE, LIST, ZYGOTE, EGRESS = 1, 2, 3, 4, 5, 6, 7, 9
EGRESS_OPEN = 1 << 31  # in "walls"
FAILED, LISTED = 1, 2
NOBODY = 65534
ZYGOTES = Path("/run/atoll/zygotes")


def fields(**kinds):
    return type("Fields", (ctypes.Structure,), {"_fields_": list(kinds.items())})


Header = fields(magic=U32, version=U16, op=U16, id=ctypes.c_char * 40)
Limits = fields(memory=U64, disk=U64, inodes=U64, cpu=U32, pids=U32, files=U32, reserved=U32)
BoxPath = ctypes.c_char * 256
Rule = fields(action=U32, path=BoxPath)
ZygoteKey = fields(stamp=U64, memory=U64, idle=U32, modules=ctypes.c_char * 516)
Start = fields(disk=U64, inodes=U64, guest_uid=U32, dies_with_launcher=ctypes.c_ubyte, has_disk=ctypes.c_ubyte,
               image=ctypes.c_ubyte, writable_root=ctypes.c_ubyte, mount_count=U32, rule_count=U32, hostname=ctypes.c_char * 64,
               mounts=BoxPath * 16, rules=Rule * 64)
CreateFields = fields(header=Header, limits=Limits, token=ctypes.c_ubyte * 32, writable_mounts=U32, layer_count=U32,
                      connected=U32, use_zygote=U32, zygote=ZygoteKey, start=Start)


def Create(hostname=b"atoll", mount_count=0, rule_count=0, **others):
    return CreateFields(start=Start(hostname=hostname, mount_count=mount_count, rule_count=rule_count), **others)


Zygote = fields(header=Header, key=ZygoteKey)
Place = fields(key=ZygoteKey, driver=U64, uid=U32, serves=U32)
ListReply = fields(head=ctypes.c_char * 112, count=U32, ids=(ctypes.c_char * 40) * 128)


def header(op, name=""):
    return Header(MAGIC, VERSION, op, name.encode())


def zygote_key(modules="", idle=20, memory=1 << 30):
    """Nobody else's: zygotes of equal keys are shared by all launchers of the host."""
    return ZygoteKey(random.getrandbits(64), memory, idle, modules.encode())


def lock_holder(fd):
    """The process that holds a POSIX lock on the file; 0: none."""
    layout = struct.Struct("hhxxxxqqixxxx")
    kind, _, _, _, pid = layout.unpack(fcntl.fcntl(fd, fcntl.F_GETLK, layout.pack(fcntl.F_WRLCK, 0, 0, 0, 0)))
    return 0 if kind == fcntl.F_UNLCK else pid


def places_of(key):
    """(number, keeper's pid, uid, whether it serves) of every taken place of this key."""
    found = []
    for file in ZYGOTES.glob("[0-9]*"):
        if not file.name.isdigit():
            continue
        with file.open("rb") as opened:
            data = opened.read()
            keeper = lock_holder(opened.fileno())
        if keeper and len(data) == ctypes.sizeof(Place):
            place = Place.from_buffer_copy(data)
            if place.key.stamp == key.stamp:
                found.append((int(file.name), keeper, place.uid, bool(place.serves)))
    return found


def programs_with_driver(build, driver):
    """A folder of links to the programs and to another driver, beside that one."""
    programs = Path(driver).parent / "programs"
    programs.mkdir(exist_ok=True)
    for file in ("atoll-guest", "atoll-mounts", "atoll-net", "atoll-zygote", "atoll-enter.so", "atoll-driver.py"):
        link, target = programs / file, driver if file == "atoll-driver.py" else f"{build}/bin/{file}"
        if not link.is_symlink():
            link.symlink_to(target)
    return str(programs)


def launcher_arguments(build, run_folder, driver=None):
    programs = programs_with_driver(build, driver) if driver else f"{build}/bin"
    return [f"{build}/bin/atoll-launcher", "--control", "3", "--run", run_folder, "--programs", programs,
            "--disks", "/var/lib/atoll", "--client-uid", "0", "--mount-owner", str(NOBODY), "--mount-group", str(NOBODY)]


class Launcher:
    """A launcher of our own. `driver`: a file, which tests may write to before they start a zygote."""

    def __init__(self, build, run_folder, driver=None, arguments=None, user=None):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket, self.driver = ours, driver
        arguments = arguments or launcher_arguments(build, run_folder, driver)
        at = arguments.index("--control") + 1
        arguments = [*arguments[:at], str(theirs.fileno()), *arguments[at + 1:]]
        who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        self.process = subprocess.Popen(arguments, pass_fds=[theirs.fileno()], **who)
        theirs.close()
        ours.settimeout(60)

    def next_reply(self):
        return self.parse(self.socket.recv(8192))

    @staticmethod
    def parse(data):
        if not data:
            raise EOFError("the launcher is gone")
        _, status, op, step, error, walls, zygote = struct.unpack_from("<IHHHxxiII", data)
        return {"op": op, "status": status, "step": step, "errno": error, "walls": walls, "zygote": zygote,
                "id": data[24:64].rstrip(b"\0").decode(), "bytes": data}

    def reply(self, op):
        while True:
            answer = self.next_reply()
            if answer["op"] == op:
                return answer

    def send(self, request, descriptors=()):
        socket.send_fds(self.socket, [bytes(request)], list(descriptors))

    def list(self):
        self.send(header(LIST))
        found = []
        while True:
            answer = self.reply(LIST)
            part = ListReply.from_buffer_copy(answer["bytes"])
            found += [part.ids[i].value.decode() for i in range(part.count)]
            if answer["status"] != LISTED:
                return found

    def start_zygote(self, key, script=None):
        """Starts one, with this driver; returns the reply and the pipe where it will say its word."""
        if script is not None and Path(self.driver).read_text() != script:
            Path(self.driver).write_text(script)  # in place: the launcher has it open
        word, theirs = os.pipe()
        self.send(Zygote(header(ZYGOTE, "zygote"), key), [theirs])
        os.close(theirs)
        return self.reply(ZYGOTE), word

    def find_zygote(self, key):
        """Has the launcher look for it, as `atoll` does; sandboxes use those that were found."""
        self.send(Zygote(header(ZYGOTE, "found"), key))
        return self.reply(ZYGOTE)

    def box(self, name, key=None, **options):
        if key is not None:
            self.find_zygote(key)
        return Box(self, name, key, **options)

    def end(self):
        self.socket.close()
        self.process.wait(120)


class Box:
    """A sandbox and the connection to its guest."""

    def __init__(self, launcher, name, key, memory=256 << 20, pids=64, cpu=2000, mounts=()):
        """`mounts`: (descriptor, target, read-only)."""
        self.launcher, self.name, self.channel = launcher, name, 0
        ours, theirs = socket.socketpair()
        self.socket = ours
        request = Create(header=header(CREATE, name), connected=1, hostname=b"atoll", mount_count=len(mounts),
                         limits=Limits(memory, memory // 4, 0, cpu, pids, 256, 0))
        for number, (_, target, read_only) in enumerate(mounts):
            request.start.mounts[number].value = target.encode()
            request.writable_mounts |= 0 if read_only else 1 << number
        if key is not None:
            request.use_zygote, request.zygote = 1, key
        launcher.send(request, [*(mount[0] for mount in mounts), theirs.fileno()])
        theirs.close()
        self.made = launcher.reply(CREATE)
        ours.settimeout(60)
        if self.made["status"] == FAILED:
            ours.close()
            return
        ours.sendall(self.frame(1, 0, struct.pack("<IH", 0x4C4F5441, 1) + bytes(32)))

    @staticmethod
    def frame(kind, channel, payload, stream=0):
        return struct.pack("<IIBBH", len(payload), channel, kind, stream, 0) + payload

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError("the guest is gone")
            data += part
        return data

    def run(self, *argv, zygote=False):
        """Runs a program to its end: (everything it wrote, exit code)."""
        def text(value):
            return struct.pack("<I", len(value)) + value

        self.channel += 1
        words = [word.encode() for word in argv]
        args = struct.pack("<HIIHH", 1, 16 if zygote else 0, 0, 24, 80) + text(b"")
        args += struct.pack("<I", len(words)) + b"".join(map(text, words))
        args += struct.pack("<I", 1) + text(b"PATH=/usr/bin:/bin:/opt/atoll/bin")
        self.socket.sendall(self.frame(3, self.channel, args))
        output, code = b"", None
        while True:
            size, channel, kind, stream, _ = struct.unpack("<IIBBH", self.read(12))
            payload = self.read(size)
            if kind == 4 and struct.unpack_from("<H", payload)[0] != 0:
                raise RuntimeError(f"not started: {payload!r}")
            if kind == 5:
                output += payload
                self.socket.sendall(self.frame(7, channel, struct.pack("<I", size), stream))
            if kind == 8:
                code = struct.unpack_from("<Qi", payload)[1]
            if kind == 9:
                return output.decode(errors="replace"), code

    def end(self):
        self.launcher.send(header(DESTROY, self.name))
        reply = self.launcher.reply(DESTROY)
        self.socket.close()
        return reply
