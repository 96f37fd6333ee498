"""Running things in a sandbox: requests, background jobs, contexts."""

from __future__ import annotations

import base64
import json
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Sequence, Type, Union

from .._errors import DeadlineExceededError, SandboxError
from .._models import ContextInfo
from .._options import Deadline, new_idempotency_key, path_of
from .._results import Execution
from .stream import AsyncExecutionStream
from .transport import AsyncTransport

Command = Union[str, Sequence[str]]
SDK_TIMEOUT = 300.0  # of code and commands that say nothing else
LONGEST_WAIT = 3600.0


def execute_body(
    code: Optional[str] = None,
    command: Optional[Command] = None,
    language: Optional[str] = None,
    context: Optional[str] = None,
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    stdin: Union[None, str, bytes] = None,
    timeout: Optional[float] = None,
    max_output_bytes: Optional[int] = None,
    track_files: bool = False,
    stdin_open: bool = False,
) -> Dict[str, Any]:
    """What the API wants to know of an execution."""
    if (code is None) == (command is None):
        raise SandboxError("either code or a command, not both and not none", code="invalid_argument")
    body: Dict[str, Any] = {
        "code": code,
        "command": command if command is None or isinstance(command, str) else list(command),
        "language": language,
        "context": context,
        "cwd": cwd,
        "env": dict(env) if env else None,
        "timeout": timeout,
        "max_output_bytes": max_output_bytes,
        "track_files": track_files or None,
        "stdin_open": stdin_open or None,
    }
    if isinstance(stdin, bytes):
        body["stdin_b64"] = base64.b64encode(stdin).decode()
    else:
        body["stdin"] = stdin
    return {name: value for name, value in body.items() if value is not None}


async def run_to_end(
    transport: AsyncTransport, session: str, body: Dict[str, Any], key: Optional[str], deadline: Optional[float]
) -> Execution:
    """Executes and waits. A wait that a proxy or a restart cuts short goes on with the execution's stream."""
    body.setdefault("timeout", SDK_TIMEOUT)
    path = path_of("sessions", session, "execute")
    if deadline is not None:
        return await run_in_time(transport, path, body, key, Deadline(deadline))
    # A timeout of 0 is the longest there is. The queue of the session may come before.
    wait = min(LONGEST_WAIT, (body["timeout"] or LONGEST_WAIT) + 60.0)
    prefer = {"prefer": f"wait={int(wait)}"}
    data = await transport.json("POST", path, body, headers=prefer, key=key, creates=True, wait=wait)
    execution = Execution.from_json(data)
    return execution if execution.ended_at is not None else await AsyncJob(transport, execution).wait()


async def run_in_time(
    transport: AsyncTransport, path: str, body: Dict[str, Any], key: Optional[str], limit: Deadline
) -> Execution:
    """As run_to_end, but when the deadline passes it is cancelled: nobody could ask for it later."""
    data = await transport.json("POST", path, body, key=key, creates=True, deadline=limit.left)
    job = AsyncJob(transport, Execution.from_json(data))
    try:
        return await job.wait(deadline=limit.left)
    except DeadlineExceededError:
        await job.cancel()
        raise


class AsyncJob:
    """An execution in the background."""

    def __init__(self, transport: AsyncTransport, execution: Execution) -> None:
        self._transport = transport
        self.execution = execution
        """As it was last seen."""

    @property
    def id(self) -> str:
        return self.execution.execution_id

    async def refresh(self) -> Execution:
        """How it is now, with its output so far."""
        data = await self._transport.json("GET", path_of("executions", self.id))
        self.execution = Execution.from_json(data)
        return self.execution

    async def wait(self, *, check: bool = False, deadline: Optional[float] = None) -> Execution:
        """Its end. When the deadline passes first it goes on, and DeadlineExceededError is raised."""
        async with self.follow(deadline=deadline) as events:
            await events.wait()
        execution = await self.refresh()
        return execution.check() if check else execution

    def follow(self, *, deadline: Optional[float] = None) -> AsyncExecutionStream:
        """Its events from the beginning, also when it has ended."""
        return AsyncExecutionStream(self._transport, self.id, deadline=deadline)

    async def cancel(self) -> None:
        """Interrupts it, and kills it when that does not help."""
        await self._transport.json("DELETE", path_of("executions", self.id))

    async def signal(self, signal: Union[str, int]) -> None:
        """Sends a signal, such as "INT" or 15, to its programs."""
        await self._transport.json("POST", path_of("executions", self.id, "signal"), {"signal": signal})

    async def write(self, data: Union[str, bytes], *, close: bool = False) -> None:
        """To its standard input; it was started with `stdin_open=True`."""
        await self._stdin(data, close)

    async def close_stdin(self) -> None:
        await self._stdin("", True)

    async def _stdin(self, data: Union[str, bytes], close: bool) -> None:
        content = data.encode() if isinstance(data, str) else data
        body: Dict[str, Any] = {"data_b64": base64.b64encode(content).decode()}
        if close:
            body["close"] = True
        await self._transport.json("POST", path_of("executions", self.id, "stdin"), body)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.execution.state}>"


class AsyncRunner:
    """What sandboxes and contexts have in common: they run things."""

    _transport: AsyncTransport

    def _where(self) -> str:
        raise NotImplementedError

    async def _run(self, body: Dict[str, Any], check: bool, key: Optional[str], deadline: Optional[float]) -> Execution:
        execution = await run_to_end(self._transport, self._where(), body, key, deadline)
        return execution.check() if check else execution

    async def _run_text(self, body: Dict[str, Any]) -> str:
        body.setdefault("timeout", SDK_TIMEOUT)
        wait = min(LONGEST_WAIT, (body["timeout"] or LONGEST_WAIT) + 60.0)
        response = await self._transport.send(
            "POST",
            path_of("sessions", self._where(), "execute"),
            json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogateescape"),
            headers={
                "accept": "text/plain, application/problem+json",
                "content-type": "application/json",
                "prefer": f"wait={int(wait)}",
                "idempotency-key": new_idempotency_key(),
            },
            wait=wait,
        )
        if response.status_code == 202:
            raise DeadlineExceededError(f"the execution goes on after {int(wait)} seconds")
        return response.text

    def _stream(self, body: Dict[str, Any], key: Optional[str], deadline: Optional[float]) -> AsyncExecutionStream:
        body.setdefault("timeout", SDK_TIMEOUT)
        headers = {"content-type": "application/json", "idempotency-key": key or new_idempotency_key()}
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogateescape")
        request = (path_of("sessions", self._where(), "execute"), content, headers)
        return AsyncExecutionStream(self._transport, request=request, deadline=deadline)


class AsyncContext(AsyncRunner):
    """An interpreter that keeps its variables. In `async with` it is closed at the end."""

    def __init__(self, transport: AsyncTransport, info: ContextInfo) -> None:
        self._transport = transport
        self.info = info

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def language(self) -> str:
        return self.info.language

    def _where(self) -> str:
        return self.info.session_id

    async def run(
        self,
        code: str,
        *,
        timeout: Optional[float] = None,
        check: bool = False,
        idempotency_key: Optional[str] = None,
        deadline: Optional[float] = None,
    ) -> Execution:
        """Runs code; what it shows is in `results`, `text`, `html`, `png` and `chart` of the answer."""
        body = execute_body(code, context=self.id, timeout=timeout)
        return await self._run(body, check, idempotency_key, deadline)

    def stream(
        self, code: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncExecutionStream:
        """Runs code; output and results come as they are made."""
        return self._stream(execute_body(code, context=self.id, timeout=timeout), None, deadline)

    async def close(self) -> None:
        """Ends the interpreter; what it holds is gone."""
        await self._transport.json("DELETE", path_of("sessions", self._where(), "contexts", self.id))

    async def __aenter__(self) -> AsyncContext:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.language}>"
