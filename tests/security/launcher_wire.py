"""The launcher's protocol and the guest's by hand, for tests that ask what `atoll` never would.

Mirrors src/engine/launcher_protocol.hpp and src/guest/protocol.hpp; a launcher that is asked in any
other layout answers EBADMSG, so a drift shows at once.
"""

import ctypes
import os
import socket
import struct
import subprocess

U16, U32, U64 = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
MAGIC = 0x48434E4C
CREATE, DESTROY, ZYGOTE = 1, 2, 7


def fields(**kinds):
    return type("Fields", (ctypes.Structure,), {"_fields_": list(kinds.items())})


Header = fields(magic=U32, version=U16, op=U16, id=ctypes.c_char * 40)
Limits = fields(memory=U64, disk=U64, inodes=U64, cpu=U32, pids=U32, files=U32, reserved=U32)
Mount = fields(target=ctypes.c_char * 256, read_only=U32)
Rule = fields(action=U32, path=ctypes.c_char * 256)
Create = fields(header=Header, limits=Limits, token=ctypes.c_ubyte * 32, mount_count=U32, rule_count=U32,
                layer_count=U32, connected=U32, writable_root=U32, zygote=ctypes.c_char * 40, hostname=ctypes.c_char * 64,
                mounts=Mount * 16, rules=Rule * 64)
Zygote = fields(header=Header, memory=U64, idle=U32, modules=ctypes.c_char * 516)


def header(op, name):
    return Header(MAGIC, 1, op, name.encode())


class Launcher:
    """A launcher of our own; its sandboxes end with it."""

    def __init__(self, build, run_folder):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket = ours
        programs = f"{build}/bin"
        self.process = subprocess.Popen(
            [f"{programs}/atoll-launcher", "--control", str(theirs.fileno()), "--run", run_folder,
             "--guest", f"{programs}/atoll-guest", "--enter", f"{programs}/atoll-enter.so",
             "--disks", "/var/lib/atoll", "--client-uid", "0", "--mount-owner", "0"],
            pass_fds=[theirs.fileno()])
        theirs.close()
        ours.settimeout(30)

    def reply(self, op):
        while True:
            data = self.socket.recv(512)
            if not data:
                raise EOFError("the launcher is gone")
            _, status, answered, step, error, _, zygote = struct.unpack_from("<IHHHxxiII", data)
            if answered == op:
                return {"status": status, "step": step, "errno": error, "zygote": zygote}

    def start_zygote(self, name, script, modules="", idle=20, memory=1 << 30):
        """Starts one; returns the reply and the pipe where it will say its word."""
        file = os.memfd_create("script")
        os.write(file, script.encode())
        os.lseek(file, 0, os.SEEK_SET)
        word, theirs = os.pipe()
        request = Zygote(header(ZYGOTE, name), memory, idle, modules.encode())
        socket.send_fds(self.socket, [bytes(request)], [file, theirs])
        os.close(theirs)
        os.close(file)
        return self.reply(ZYGOTE), word

    def box(self, name, zygote="", memory=256 << 20):
        return Box(self, name, zygote, memory)

    def end(self):
        self.socket.close()
        self.process.wait(30)


class Box:
    """A sandbox and the connection to its guest."""

    def __init__(self, launcher, name, zygote, memory):
        self.launcher, self.name, self.channel = launcher, name, 0
        ours, theirs = socket.socketpair()
        self.socket = ours
        request = Create(header=header(CREATE, name), connected=1, zygote=zygote.encode(), hostname=b"atoll",
                         limits=Limits(memory, memory // 4, 0, 2000, 64, 256, 0))
        socket.send_fds(launcher.socket, [bytes(request)], [theirs.fileno()])
        theirs.close()
        self.made = launcher.reply(CREATE)
        ours.settimeout(60)
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
        self.launcher.socket.send(bytes(header(DESTROY, self.name)))
        reply = self.launcher.reply(DESTROY)
        self.socket.close()
        return reply
