# Made by tools/sdk_unasync.py from _async/seed.py; changes belong there.
"""The first client's interface, by session ids: below /workspace/se, where every request waits."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Mapping, Optional, Type
from urllib.parse import quote

from .._models import Session
from .._options import Options
from .._results import Execution
from .transport import Transport


class SandboxClient:
    """create_session, execute_python, execute_command, upload_file, download_file, close."""

    def __init__(self, base_url: str = "http://localhost:8000", api_key: Optional[str] = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._transport = Transport(Options.make(self.base_url, api_key))

    def create_session(
        self, template_id: str = "python-default", config: Optional[Mapping[str, Any]] = None
    ) -> Session:
        """A session that is ready. `config` may be flat (`{"timeout_seconds": 600}`) or have a `config` block."""
        body = {"template_id": template_id, **(config or {})}
        return Session.from_json(self._transport.json("POST", "/workspace/se/session", body, wait=60.0))

    def execute_python(self, session_id: str, code: str, timeout: int = 300) -> Execution:
        return self._execute("execute_code", session_id, {"code": code, "timeout": timeout})

    def execute_command(self, session_id: str, command: str, timeout: int = 300) -> Execution:
        return self._execute("execute", session_id, {"command": command, "timeout": timeout})

    def _execute(self, what: str, session_id: str, body: Mapping[str, Any]) -> Execution:
        path = f"/workspace/se/{what}/{quote(session_id, safe='')}"
        return Execution.from_json(self._transport.json("POST", path, body, wait=float(body["timeout"]) + 60.0))

    def upload_file(self, session_id: str, file_path: str, content: bytes) -> None:
        boundary = "atoll-python-upload-9d2e"
        while boundary.encode() in content:
            boundary += "x"
        name = quote(file_path, safe="")
        head = f"--{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename*=UTF-8''{name}\r\n\r\n"
        self._transport.send(
            "POST",
            f"/workspace/se/upload/{quote(session_id, safe='')}",
            head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
            headers={"content-type": f"multipart/form-data; boundary={boundary}"},
            repeatable=True,
        )

    def download_file(self, session_id: str, filename: str) -> bytes:
        path = f"/workspace/se/download/{quote(session_id, safe='')}/{quote(filename)}"
        return (self._transport.send("GET", path)).content

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> SandboxClient:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
