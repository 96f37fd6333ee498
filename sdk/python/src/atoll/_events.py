"""Events of streams, and the parser of server-sent events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterator, List, Mapping, Optional

from ._errors import SandboxError
from ._results import Result, bytes_of

MAX_EVENT = 256 * 1024 * 1024


@dataclass(frozen=True)
class Event:
    """One event: `type` (init, stdout, stderr, result, error, complete; created, modified, …; session_created, …),
    its `data`, and the id behind which a stream can be resumed."""

    type: str
    data: Mapping[str, Any]
    id: Optional[str] = None

    @property
    def text(self) -> str:
        """Of stdout and stderr; U+FFFD for bytes that are no UTF-8."""
        return str(self.data.get("text", ""))

    @property
    def content(self) -> bytes:
        """Of stdout and stderr: the exact bytes."""
        return bytes_of(self.text, self.data.get("b64"))

    @property
    def result(self) -> Optional[Result]:
        """Of a result."""
        return Result(self.data["data"], self.data["is_result"]) if self.type == "result" else None

    @property
    def path(self) -> Optional[str]:
        """Of a change of a file."""
        return self.data.get("path")

    @property
    def session_id(self) -> Optional[str]:
        return self.data.get("session_id")


class EventParser:
    """Bytes in, events out. Comments, which keep a connection alive, are nothing."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._looked = 0

    def feed(self, piece: bytes) -> Iterator[Event]:
        rest = self._rest
        rest += piece
        begin = 0
        while (end := rest.find(b"\n\n", max(begin, self._looked))) >= 0:
            block = bytes(rest[begin:end])
            begin = self._looked = end + 2
            if (event := self._event(block)) is not None:
                yield event
        del rest[:begin]
        self._looked = max(0, len(rest) - 1)
        if len(rest) > MAX_EVENT:
            raise SandboxError("the server sends an event without end", code="unexpected_answer")

    @staticmethod
    def _event(block: bytes) -> Optional[Event]:
        kind = "message"
        ident: Optional[str] = None
        data: List[bytes] = []
        for line in block.split(b"\n"):
            name, _, value = line.partition(b":")
            value = value[1:] if value[:1] == b" " else value
            if name == b"data":
                data.append(value)
            elif name == b"event":
                kind = value.decode()
            elif name == b"id":
                ident = value.decode()
        if not data:
            return None
        return Event(kind, json.loads(b"\n".join(data)), ident)
