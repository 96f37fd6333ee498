"""Streams of events, which go on where they were cut."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import Any, AsyncIterator, Deque, Dict, Mapping, Optional, Tuple, Type

import httpx

from .._errors import (
    ConnectionFailedError,
    NotFoundError,
    SandboxError,
    ServerError,
    StreamInterruptedError,
)
from .._events import Event, EventParser
from .._options import Deadline, path_of
from .._results import Execution
from .transport import AsyncTransport


class AsyncEventStream:
    """Events as they come. Use it in `async with`, or read it to its end: either closes the connection.

    A connection that is cut is opened again with Last-Event-ID, so nothing is lost and nothing told twice; where
    the server cannot go on, StreamInterruptedError says so.
    """

    def __init__(
        self, transport: AsyncTransport, path: Optional[str], params: Optional[Mapping[str, Any]] = None
    ) -> None:
        self._transport = transport
        self._path = path
        self._params = params
        self._response: Optional[httpx.Response] = None
        self._pieces: Optional[AsyncIterator[bytes]] = None
        self._parser = EventParser()
        self._ready: Deque[Event] = deque()
        self._deadline = Deadline(None)
        self._cuts = 0
        self._done = False
        self.last_id: Optional[str] = None
        """Of the last event that was read."""

    async def open(self) -> None:
        """Asks the server for the stream now, not when the first event is read."""
        if self._pieces is None and not self._done:
            await self._open()

    async def _open(self) -> None:
        if self._path is None:
            raise StreamInterruptedError("the stream was cut before its first event")
        await self._connect("GET", self._path, None, {})

    async def _connect(self, method: str, path: str, content: Optional[bytes], headers: Mapping[str, str]) -> None:
        sent: Dict[str, str] = {"accept": "text/event-stream", **headers}
        if self.last_id is not None:
            sent["last-event-id"] = self.last_id
        self._response = await self._transport.send(
            method,
            path,
            content,
            params=self._params,
            headers=sent,
            wait=60.0,
            deadline=self._deadline,
            stream=True,
        )
        self._parser = EventParser()
        self._pieces = self._response.aiter_raw()

    def _is_last(self, event: Event) -> bool:
        return False

    def _resumable(self) -> bool:
        return self.last_id is not None

    async def __anext__(self) -> Event:
        while not self._ready:
            if self._done:
                raise StopAsyncIteration
            await self._more()
        event = self._ready.popleft()
        if event.id is not None:
            self.last_id = event.id
        if self._is_last(event):
            await self.aclose()
        return event

    async def _more(self) -> None:
        """Reads a piece; after a cut, opens the stream again."""
        if self._deadline.passed:
            await self.aclose()
            raise Deadline.error()
        try:
            if self._pieces is None:
                await self._open()
            assert self._pieces is not None
            piece = await self._pieces.__anext__()
        except (httpx.TransportError, StopAsyncIteration) as error:
            await self._cut(error)
        except BaseException:
            await self.aclose()
            raise
        else:
            before = len(self._ready)
            self._ready.extend(self._parser.feed(piece))
            if len(self._ready) > before:
                self._cuts = 0

    async def _cut(self, error: BaseException) -> None:
        await self._drop()
        if self._deadline.passed:
            raise Deadline.error() from error
        self._cuts += 1
        if not self._resumable() or self._cuts > self._transport.options.retries:
            self._done = True
            raise StreamInterruptedError(
                f"the stream was cut after event {self.last_id} and could not be resumed"
                + (f": {error}" if str(error) else "")
            ) from error
        try:
            await self._open()
        except (ConnectionFailedError, NotFoundError, ServerError) as failure:
            self._done = True
            raise StreamInterruptedError(
                f"the stream was cut after event {self.last_id} and could not be resumed: {failure}"
            ) from failure

    async def _drop(self) -> None:
        response, self._response, self._pieces = self._response, None, None
        if response is not None:
            await response.aclose()

    async def aclose(self) -> None:
        """Leaves the stream. What it tells of goes on."""
        self._done = True
        await self._drop()

    def __aiter__(self) -> AsyncEventStream:
        return self

    async def __aenter__(self) -> AsyncEventStream:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    # sync-only: def __del__(self) -> None:
    # sync-only:     self.close()


class AsyncLiveStream(AsyncEventStream):
    """Events of things that happen from now on: of files, or of the server."""

    def __init__(
        self, transport: AsyncTransport, path: str, params: Optional[Mapping[str, Any]] = None, resumes: bool = True
    ) -> None:
        super().__init__(transport, path, params)
        self._resumes = resumes

    def _resumable(self) -> bool:
        return self._resumes and self.last_id is not None

    async def next_event(self, timeout: Optional[float] = None, **wanted: Any) -> Event:
        """The next event that has these members: `next_event(type="created", path="a")`. The time is looked at when
        something comes, at the latest with the server's next sign of life."""
        self._deadline = Deadline(timeout)
        async for event in self:
            members = {**event.data, "type": event.type}
            if all(members.get(name) == value for name, value in wanted.items()):
                return event
        raise StreamInterruptedError("the stream ended before such an event")

    async def __aenter__(self) -> AsyncLiveStream:
        await self.open()
        return self


class AsyncExecutionStream(AsyncEventStream):
    """Events of an execution, from its beginning to its end. `execution` is there at the end."""

    def __init__(
        self,
        transport: AsyncTransport,
        execution_id: Optional[str] = None,
        request: Optional[Tuple[str, bytes, Mapping[str, str]]] = None,
        deadline: Optional[float] = None,
    ) -> None:
        super().__init__(transport, path_of("executions", execution_id, "stream") if execution_id else None)
        self.execution_id = execution_id
        """Known from the first event on."""
        self._request = request
        self._deadline = Deadline(deadline)
        self.execution: Optional[Execution] = None
        """How it ended, without stdout, stderr and output, which the events held."""

    async def _open(self) -> None:
        if self._path is None and self._request is not None:  # its idempotency key lets it be sent again
            await self._connect("POST", *self._request)
        else:
            await super()._open()

    def _resumable(self) -> bool:
        return True

    def _is_last(self, event: Event) -> bool:
        if event.type == "init":
            self.execution_id = str(event.data["execution_id"])
            self._path = path_of("executions", self.execution_id, "stream")
        if event.type != "complete":
            return False
        self.execution = Execution.from_json(event.data)
        return True

    async def wait(self) -> Execution:
        """Reads to the end."""
        async for _ in self:
            pass
        if self.execution is None:
            raise SandboxError("the stream has been closed", code="client_closed")
        return self.execution

    async def __aenter__(self) -> AsyncExecutionStream:
        await self.open()
        return self
