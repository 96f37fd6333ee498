# Made by tools/sdk_unasync.py from _async/stream.py; changes belong there.
"""Streams of events, which go on where they were cut."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import Any, Deque, Dict, Iterator, Mapping, Optional, Tuple, Type

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
from .transport import Transport


class EventStream:
    """Events as they come. Use it in `with`, or read it to its end: either closes the connection.

    A connection that is cut is opened again with Last-Event-ID, so nothing is lost and nothing told twice; where
    the server cannot go on, StreamInterruptedError says so.
    """

    def __init__(
        self, transport: Transport, path: Optional[str], params: Optional[Mapping[str, Any]] = None
    ) -> None:
        self._transport = transport
        self._path = path
        self._params = params
        self._response: Optional[httpx.Response] = None
        self._pieces: Optional[Iterator[bytes]] = None
        self._parser = EventParser()
        self._ready: Deque[Event] = deque()
        self._deadline = Deadline(None)
        self._cuts = 0
        self._done = False
        self.last_id: Optional[str] = None
        """Of the last event that was read."""

    def open(self) -> None:
        """Asks the server for the stream now, not when the first event is read."""
        if self._pieces is None and not self._done:
            self._open()

    def _open(self) -> None:
        if self._path is None:
            raise StreamInterruptedError("the stream was cut before its first event")
        self._connect("GET", self._path, None, {})

    def _connect(self, method: str, path: str, content: Optional[bytes], headers: Mapping[str, str]) -> None:
        sent: Dict[str, str] = {"accept": "text/event-stream", **headers}
        if self.last_id is not None:
            sent["last-event-id"] = self.last_id
        self._response = self._transport.send(
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
        self._pieces = self._response.iter_raw()

    def _is_last(self, event: Event) -> bool:
        return False

    def _resumable(self) -> bool:
        return self.last_id is not None

    def __next__(self) -> Event:
        while not self._ready:
            if self._done:
                raise StopIteration
            self._more()
        event = self._ready.popleft()
        if event.id is not None:
            self.last_id = event.id
        if self._is_last(event):
            self.close()
        return event

    def _more(self) -> None:
        """Reads a piece; after a cut, opens the stream again."""
        if self._deadline.passed:
            self.close()
            raise Deadline.error()
        try:
            if self._pieces is None:
                self._open()
            assert self._pieces is not None
            piece = self._pieces.__next__()
        except (httpx.TransportError, StopIteration) as error:
            self._cut(error)
        except BaseException:
            self.close()
            raise
        else:
            before = len(self._ready)
            self._ready.extend(self._parser.feed(piece))
            if len(self._ready) > before:
                self._cuts = 0

    def _cut(self, error: BaseException) -> None:
        self._drop()
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
            self._open()
        except (ConnectionFailedError, NotFoundError, ServerError) as failure:
            self._done = True
            raise StreamInterruptedError(
                f"the stream was cut after event {self.last_id} and could not be resumed: {failure}"
            ) from failure

    def _drop(self) -> None:
        response, self._response, self._pieces = self._response, None, None
        if response is not None:
            response.close()

    def close(self) -> None:
        """Leaves the stream. What it tells of goes on."""
        self._done = True
        self._drop()

    def __iter__(self) -> EventStream:
        return self

    def __enter__(self) -> EventStream:
        self.open()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class LiveStream(EventStream):
    """Events of things that happen from now on: of files, or of the server."""

    def __init__(
        self, transport: Transport, path: str, params: Optional[Mapping[str, Any]] = None, resumes: bool = True
    ) -> None:
        super().__init__(transport, path, params)
        self._resumes = resumes

    def _resumable(self) -> bool:
        return self._resumes and self.last_id is not None

    def next_event(self, timeout: Optional[float] = None, **wanted: Any) -> Event:
        """The next event that has these members: `next_event(type="created", path="a")`. The time is looked at when
        something comes, at the latest with the server's next sign of life."""
        self._deadline = Deadline(timeout)
        for event in self:
            members = {**event.data, "type": event.type}
            if all(members.get(name) == value for name, value in wanted.items()):
                return event
        raise StreamInterruptedError("the stream ended before such an event")

    def __enter__(self) -> LiveStream:
        self.open()
        return self


class ExecutionStream(EventStream):
    """Events of an execution, from its beginning to its end. `execution` is there at the end."""

    def __init__(
        self,
        transport: Transport,
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

    def _open(self) -> None:
        if self._path is None and self._request is not None:  # its idempotency key lets it be sent again
            self._connect("POST", *self._request)
        else:
            super()._open()

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

    def wait(self) -> Execution:
        """Reads to the end."""
        for _ in self:
            pass
        if self.execution is None:
            raise SandboxError("the stream has been closed", code="client_closed")
        return self.execution

    def __enter__(self) -> ExecutionStream:
        self.open()
        return self
