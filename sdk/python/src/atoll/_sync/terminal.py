# Made by tools/sdk_unasync.py from _async/terminal.py; changes belong there.
"""A terminal over a WebSocket, on the connection that httpx made (ADR 56)."""

from __future__ import annotations

import codecs
import json
from collections import deque
from types import TracebackType
from typing import Any, Deque, Dict, Optional, Type, Union

import httpx

from .._errors import ConnectionFailedError, error_of
from .._frames import BINARY, CLOSE, PING, PONG, TEXT, FrameReader, accept_of, frame, new_key
from .._options import Deadline, path_of
from .transport import Transport

PIECE = 64 * 1024
WRITE_SECONDS = 60.0


class Terminal:
    """A program at a terminal inside. Open it with `with`; when it is left, the program is hung up."""

    def __init__(
        self,
        transport: Transport,
        session: str,
        *,
        rows: int = 24,
        cols: int = 80,
        command: Optional[str] = None,
        cwd: Optional[str] = None,
    ) -> None:
        self._transport = transport
        self._path = path_of("sessions", session, "pty")
        self._params: Dict[str, Any] = {"rows": rows, "cols": cols, "command": command, "cwd": cwd}
        self._response: Optional[httpx.Response] = None
        self._stream: Any = None
        self._reader = FrameReader()
        self._output: Deque[bytes] = deque()
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._unread = ""
        self._ended = False
        self.exit_code: Optional[int] = None
        """Of the program, once it has ended."""
        self.signal: Optional[int] = None
        """That ended it, if one did."""

    def open(self) -> None:
        key = new_key()
        headers = {
            "connection": "Upgrade",
            "upgrade": "websocket",
            "sec-websocket-version": "13",
            "sec-websocket-key": key,
        }
        response = self._transport.send(
            "GET", self._path, params=self._params, headers=headers, stream=True, raises=False
        )
        if response.status_code != 101 or response.headers.get("sec-websocket-accept") != accept_of(key):
            data = response.read()
            response.close()
            raise error_of(response.status_code, data, response.headers, self._path)
        self._response = response
        self._stream = response.extensions["network_stream"]

    def send(self, data: Union[str, bytes]) -> None:
        """Types: `send("ls\\n")`."""
        self._write(BINARY, data.encode() if isinstance(data, str) else data)

    def resize(self, rows: int, cols: int) -> None:
        self._write(TEXT, json.dumps({"resize": {"rows": rows, "cols": cols}}).encode())

    def read(self, timeout: Optional[float] = None) -> bytes:
        """What the program wrote, as it comes; nothing once it has ended."""
        limit = Deadline(timeout)
        while not self._output:
            if self._ended:
                return b""
            self._more(limit)
        return self._output.popleft()

    def read_until(self, text: str, timeout: float = 60.0) -> str:
        """What came up to and with this text."""
        limit = Deadline(timeout)
        while (at := self._unread.find(text)) < 0:
            piece = self.read(limit.within(timeout))
            if not piece:
                raise ConnectionFailedError(f"the terminal ended before {text!r} came; what came was {self._unread!r}")
            self._unread += self._text.decode(piece)
        at += len(text)
        found, self._unread = self._unread[:at], self._unread[at:]
        return found

    def wait(self, timeout: Optional[float] = None) -> Optional[int]:
        """The exit code of the program, at its end. What it still writes is kept for `read`."""
        limit = Deadline(timeout)
        while not self._ended:
            self._more(limit)
        return self.exit_code

    def close(self) -> None:
        """Hangs up."""
        response, self._response = self._response, None
        self._ended = True
        if response is not None:
            try:
                self._stream.write(frame(CLOSE, b"\x03\xe8"), timeout=1.0)
            except Exception as error:
                if not _is_connection_error(error):
                    raise
            finally:
                response.close()

    def _write(self, kind: int, data: bytes) -> None:
        if self._response is None:
            raise ConnectionFailedError("the terminal is not open; use it in `with`")
        try:
            self._stream.write(frame(kind, data), timeout=WRITE_SECONDS)
        except Exception as error:
            if not _is_connection_error(error):
                raise
            raise ConnectionFailedError(f"the terminal was cut: {error}") from error

    def _more(self, limit: Deadline) -> None:
        if self._response is None:
            raise ConnectionFailedError("the terminal is not open; use it in `with`")
        left = limit.left
        if left is not None and left <= 0:
            raise Deadline.error()
        try:
            piece = self._stream.read(PIECE, timeout=left)
        except Exception as error:
            if not _is_connection_error(error):
                raise
            if "Timeout" in type(error).__name__:
                raise Deadline.error() from error
            piece = b""
        if not piece:
            self._ended = True
            return
        for kind, data in self._reader.feed(piece):
            if kind == BINARY:
                self._output.append(data)
            elif kind == TEXT:
                self._told(json.loads(data))
            elif kind == PING:
                self._write(PONG, data)
            elif kind == CLOSE:
                self._ended = True

    def _told(self, message: Any) -> None:
        if "exit" in message:
            self.exit_code = message["exit"].get("exit_code")
            self.signal = message["exit"].get("signal")

    def __iter__(self) -> Terminal:
        return self

    def __next__(self) -> bytes:
        piece = self.read()
        if not piece:
            raise StopIteration
        return piece

    def __enter__(self) -> Terminal:
        self.open()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


def _is_connection_error(error: Exception) -> bool:
    """The streams below raise errors of httpcore, a package that httpx wraps."""
    return type(error).__module__.split(".")[0] in ("httpcore", "httpx", "anyio") or isinstance(error, OSError)
