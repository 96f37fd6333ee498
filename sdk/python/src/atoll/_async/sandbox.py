"""A sandbox."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Any, AsyncIterator, Dict, List, Mapping, Optional, Type, Union

from .._errors import NotFoundError
from .._local import local_server
from .._models import (
    ContextInfo,
    Diagnostics,
    NetworkPolicy,
    Process,
    Session,
    SessionNetwork,
    SessionState,
    SessionStatus,
    Snapshot,
    Usage,
)
from .._options import path_of
from .._results import Execution
from .execution import (
    SDK_TIMEOUT,
    AsyncContext,
    AsyncJob,
    AsyncRunner,
    Command,
    execute_body,
)
from .files import AsyncFiles
from .ports import AsyncPort
from .stream import AsyncExecutionStream
from .terminal import AsyncTerminal
from .transport import AsyncTransport


class AsyncSandbox(AsyncRunner):
    """A sandbox: it runs code and commands, holds files, and is gone after `end()` or its lifetime.

    `AsyncSandbox.create()` makes one with a client of its own; `AsyncAtoll.create()` with one that others share.
    In `async with` it is ended at the end.
    """

    def __init__(self, transport: AsyncTransport, info: Session, *, owns_transport: bool = False) -> None:
        self._transport = transport
        self._owns_transport = owns_transport
        self.info = info
        """As it was last seen."""
        self.files = AsyncFiles(transport, info.id)

    @classmethod
    async def create(
        cls, template: Optional[str] = None, *, url: Optional[str] = None, api_key: Optional[str] = None, **more: Any
    ) -> AsyncSandbox:
        """A new sandbox of the server that ATOLL_URL and ATOLL_API_KEY name, unless `url` and `api_key` do. Further
        arguments are those of `AsyncAtoll.create`."""
        from .client import AsyncAtoll

        client = AsyncAtoll(url, api_key)
        try:
            box = await client.create(template, **more)
        except BaseException:
            await client.aclose()
            raise
        box._owns_transport = True
        return box

    @classmethod
    async def connect(cls, id: str, *, url: Optional[str] = None, api_key: Optional[str] = None) -> AsyncSandbox:
        """A sandbox that exists, by its id."""
        from .client import AsyncAtoll

        client = AsyncAtoll(url, api_key)
        try:
            box = await client.connect(id)
        except BaseException:
            await client.aclose()
            raise
        box._owns_transport = True
        return box

    @classmethod
    async def local(cls, template: Optional[str] = None, **more: Any) -> AsyncSandbox:
        """A new sandbox on this machine, without a server of yours: the installed `atoll` is started for this
        process, once, and ends with it."""
        server = local_server()
        return await cls.create(template, url=server.url, api_key=server.api_key, **more)

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def status(self) -> Union[SessionState, str]:
        """As it was last seen; `refresh()` looks again."""
        return self.info.status

    def _where(self) -> str:
        return self.info.id

    # ---- life ----

    async def refresh(self) -> Session:
        return self._take(await self._transport.json("GET", path_of("sessions", self.id)))

    async def pause(self) -> Session:
        """Stops everything in it where it is; its lifetime goes on."""
        return self._take(await self._transport.json("POST", path_of("sessions", self.id, "pause"), repeatable=True))

    async def resume(self) -> Session:
        return self._take(await self._transport.json("POST", path_of("sessions", self.id, "resume"), repeatable=True))

    async def renew(self, seconds: Optional[int] = None) -> Session:
        """Sets its end to so many seconds from now; None: its lifetime again."""
        body = {} if seconds is None else {"seconds": seconds}
        path = path_of("sessions", self.id, "renew")
        return self._take(await self._transport.json("POST", path, body, repeatable=True))

    async def change(
        self,
        *,
        labels: Optional[Mapping[str, str]] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        timeout: Optional[int] = None,
        idle_timeout: Optional[int] = None,
    ) -> Session:
        """Replaces what is given."""
        config = {
            name: value
            for name, value in (("timeout_seconds", timeout), ("idle_timeout_seconds", idle_timeout))
            if value is not None
        }
        body: Dict[str, Any] = {}
        if labels is not None:
            body["labels"] = dict(labels)
        if metadata is not None:
            body["metadata"] = dict(metadata)
        if config:
            body["config"] = config
        path = path_of("sessions", self.id)
        return self._take(await self._transport.json("PATCH", path, body, repeatable=True))

    async def end(self) -> None:
        """Ends it; everything of it is gone then. A second time is fine."""
        try:
            await self._transport.json("DELETE", path_of("sessions", self.id))
        finally:
            if self._owns_transport:
                await self._transport.aclose()

    def _take(self, data: Any) -> Session:
        self.info = Session.from_json(data)
        return self.info

    # ---- running ----

    async def run(
        self,
        code: Optional[str] = None,
        *,
        command: Optional[Command] = None,
        language: Optional[str] = None,
        context: Union[None, str, AsyncContext] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: Union[None, str, bytes] = None,
        timeout: Optional[float] = None,
        max_output_bytes: Optional[int] = None,
        track_files: bool = False,
        check: bool = False,
        idempotency_key: Optional[str] = None,
        deadline: Optional[float] = None,
    ) -> Execution:
        """Runs code, or a command (text for a shell, or a list of words), and waits for its end.

        `timeout` seconds end it inside (300 unless given); `deadline` is yours: when it passes, the execution is
        cancelled and DeadlineExceededError raised. `check=True` raises SandboxExecutionError when it fails.
        """
        body = execute_body(
            code, command, language, _id(context), cwd, env, stdin, timeout, max_output_bytes, track_files
        )
        return await self._run(body, check, idempotency_key, deadline)

    async def command(self, command: Command, **more: Any) -> Execution:
        """`run(command=…)`."""
        return await self.run(command=command, **more)

    async def run_text(
        self,
        code: Optional[str] = None,
        *,
        command: Optional[Command] = None,
        language: Optional[str] = None,
        context: Union[None, str, AsyncContext] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: Union[None, str, bytes] = None,
        timeout: Optional[float] = None,
    ) -> str:
        """As `run`, but the text that an agent's tool hands to its model: stdout, `STDERR:` and stderr, and the exit
        code unless it is 0, cut after 10,000 characters."""
        body = execute_body(code, command, language, _id(context), cwd, env, stdin, timeout)
        return await self._run_text(body)

    async def start(
        self,
        code: Optional[str] = None,
        *,
        command: Optional[Command] = None,
        language: Optional[str] = None,
        context: Union[None, str, AsyncContext] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: Union[None, str, bytes] = None,
        stdin_open: bool = False,
        timeout: Optional[float] = None,
        max_output_bytes: Optional[int] = None,
        track_files: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> AsyncJob:
        """Runs in the background."""
        body = execute_body(
            code, command, language, _id(context), cwd, env, stdin, timeout, max_output_bytes, track_files, stdin_open
        )
        body.setdefault("timeout", SDK_TIMEOUT)
        path = path_of("sessions", self.id, "execute")
        data = await self._transport.json("POST", path, body, key=idempotency_key, creates=True)
        return AsyncJob(self._transport, Execution.from_json(data))

    def stream(
        self,
        code: Optional[str] = None,
        *,
        command: Optional[Command] = None,
        language: Optional[str] = None,
        context: Union[None, str, AsyncContext] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: Union[None, str, bytes] = None,
        timeout: Optional[float] = None,
        max_output_bytes: Optional[int] = None,
        track_files: bool = False,
        idempotency_key: Optional[str] = None,
        deadline: Optional[float] = None,
    ) -> AsyncExecutionStream:
        """Runs, and gives output, results and the end as events as they come. Who leaves ends nothing inside."""
        body = execute_body(
            code, command, language, _id(context), cwd, env, stdin, timeout, max_output_bytes, track_files
        )
        return self._stream(body, idempotency_key, deadline)

    def job(self, execution_id: str) -> AsyncJob:
        """An execution of this sandbox by its id; `refresh()` asks how it is."""
        empty = {"session_id": self.id, "execution_id": execution_id, "state": "queued", "exit_code": None}
        return AsyncJob(self._transport, Execution.from_json({**_UNKNOWN, **empty}))

    async def open_context(
        self, language: Optional[str] = None, *, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None
    ) -> AsyncContext:
        """An interpreter that keeps its variables from one `run` to the next."""
        body = {"language": language, "cwd": cwd, "env": dict(env) if env else None}
        body = {name: value for name, value in body.items() if value is not None}
        path = path_of("sessions", self.id, "contexts")
        return AsyncContext(
            self._transport, ContextInfo.from_json(await self._transport.json("POST", path, body, creates=True))
        )

    async def contexts(self) -> List[ContextInfo]:
        data = await self._transport.json("GET", path_of("sessions", self.id, "contexts"))
        return [ContextInfo.from_json(item) for item in data["contexts"]]

    # ---- looking at it ----

    async def activity(self) -> SessionStatus:
        """Its state, and what runs in it."""
        return SessionStatus.from_json(await self._transport.json("GET", path_of("sessions", self.id, "status")))

    async def usage(self) -> Usage:
        return Usage.from_json(await self._transport.json("GET", path_of("sessions", self.id, "usage")))

    async def diagnostics(self) -> Diagnostics:
        """How it ended, what was done in it, and the end of what its programs printed. Also after its end."""
        return Diagnostics.from_json(await self._transport.json("GET", path_of("sessions", self.id, "diagnostics")))

    async def processes(self) -> List[Process]:
        data = await self._transport.json("GET", path_of("sessions", self.id, "processes"))
        return [Process.from_json(item) for item in data["processes"]]

    async def results(self, *, output: bool = True, page_size: Optional[int] = None) -> AsyncIterator[Execution]:
        """Its executions, newest first."""
        params = {"output": None if output else "false", "limit": page_size}
        async for item in self._transport.pages(path_of("sessions", self.id, "results"), "results", params):
            yield Execution.from_json(item)

    # ---- network, ports, terminal, snapshots ----

    async def network(self) -> SessionNetwork:
        return SessionNetwork.from_json(await self._transport.json("GET", path_of("sessions", self.id, "network")))

    async def set_network(self, policy: NetworkPolicy) -> SessionNetwork:
        """Replaces what it may reach."""
        path = path_of("sessions", self.id, "network")
        return SessionNetwork.from_json(await self._transport.json("PUT", path, policy))

    def port(self, port: int) -> AsyncPort:
        """A server inside, also without network."""
        return AsyncPort(self._transport, self.id, port)

    def terminal(
        self, *, rows: int = 24, cols: int = 80, command: Optional[str] = None, cwd: Optional[str] = None
    ) -> AsyncTerminal:
        """A terminal inside: `async with box.terminal() as terminal`."""
        return AsyncTerminal(self._transport, self.id, rows=rows, cols=cols, command=command, cwd=cwd)

    async def snapshot(self, name: Optional[str] = None, *, idempotency_key: Optional[str] = None) -> Snapshot:
        """Keeps its files: `create(snapshot=…)` makes sandboxes that begin with them."""
        body = {} if name is None else {"name": name}
        path = path_of("sessions", self.id, "snapshots")
        data = await self._transport.json("POST", path, body, key=idempotency_key, creates=True, wait=300.0)
        return Snapshot.from_json(data)

    async def __aenter__(self) -> AsyncSandbox:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        with contextlib.suppress(NotFoundError):  # its row is gone, which is all that was wanted
            await self.end()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.info.template_id} {self.info.status}>"


_UNKNOWN = {"result": None, "success": False, "error": None, "duration_ms": 0, "timed_out": False, "truncated": False,
            "metrics": {"cpu_user_ms": 0, "cpu_system_ms": 0, "memory_peak_bytes": 0},
            "created_at": "1970-01-01T00:00:00Z"}  # fmt: skip


def _id(context: Union[None, str, AsyncContext]) -> Optional[str]:
    return context.id if isinstance(context, AsyncContext) else context
