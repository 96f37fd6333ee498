"""WebSocket frames (RFC 6455), as a client sends and reads them; the connection is somebody else's."""

from __future__ import annotations

import base64
import hashlib
import os
import struct
from typing import Iterator, Tuple

from ._errors import SandboxError

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MAX_MESSAGE = 64 * 1024 * 1024
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def new_key() -> str:
    return base64.b64encode(os.urandom(16)).decode()


def accept_of(key: str) -> str:
    return base64.b64encode(hashlib.sha1(key.encode() + _MAGIC).digest()).decode()  # noqa: S324 (the protocol's)


def frame(kind: int, data: bytes) -> bytes:
    """One whole message, masked as clients must."""
    size = len(data)
    if size < 126:
        head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", 0x80 | kind, 0xFE, size)
    else:
        head = struct.pack("!BBQ", 0x80 | kind, 0xFF, size)
    mask = os.urandom(4)
    pattern = (mask * (size // 4 + 1))[:size]
    masked = int.from_bytes(data, "little") ^ int.from_bytes(pattern, "little")
    return head + mask + masked.to_bytes(size, "little")


class FrameReader:
    """Bytes in, messages out: (kind, content)."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._kind = 0
        self._message = bytearray()

    def feed(self, piece: bytes) -> Iterator[Tuple[int, bytes]]:
        self._rest += piece
        while True:
            rest = self._rest
            if len(rest) < 2:
                return
            first, second = rest[0], rest[1]
            size, at = second & 0x7F, 2
            if size == 126:
                size, at = (struct.unpack_from("!H", rest, 2)[0], 4) if len(rest) >= 4 else (-1, 0)
            elif size == 127:
                size, at = (struct.unpack_from("!Q", rest, 2)[0], 10) if len(rest) >= 10 else (-1, 0)
            if first & 0x70 or second & 0x80 or size + len(self._message) > MAX_MESSAGE:
                raise SandboxError("the server speaks no WebSocket that we know", code="unexpected_answer")
            if size < 0 or len(rest) < at + size:
                return
            data = bytes(rest[at : at + size])
            del rest[: at + size]
            kind = first & 0x0F
            if kind >= CLOSE:
                yield kind, data
                continue
            self._kind = kind or self._kind
            self._message += data
            if first & 0x80:
                whole, self._message = bytes(self._message), bytearray()
                yield self._kind, whole
