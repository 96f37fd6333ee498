"""Requests: connections, retries, deadlines, errors. Everything else of the package goes through here."""

from __future__ import annotations

import json as _json
import logging
import time
import weakref
from typing import Any, AsyncIterator, Callable, Dict, Mapping, Optional, Union

import httpx

from .._errors import ConnectionFailedError, SandboxError, error_of
from .._options import MAX_PAUSE, Deadline, Options, new_idempotency_key, pause_before
from .._version import VERSION
from .compat import is_alive, loop_key, pause

logger = logging.getLogger("atoll")

# A body that can be sent again is bytes, or a function that begins it anew.
Body = Union[bytes, Callable[[], Any]]
NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
REPEATABLE = frozenset(("GET", "HEAD", "PUT", "DELETE"))
CONNECT_SECONDS = 10.0
NO_READER_SECONDS = 120.0


class AsyncTransport:
    """Connections to one server, shared by everything that a client made. May be used by several threads, and
    the asynchronous one by several event loops."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._alone: Optional[httpx.AsyncClient] = None
        self._of_loop: Any = weakref.WeakKeyDictionary()
        self._closed = False

    def http(self) -> httpx.AsyncClient:
        """The connections of this event loop."""
        if self._closed:
            raise SandboxError("the client has been closed", code="client_closed")
        loop = loop_key()
        if loop is None:
            if self._alone is None:
                self._alone = self._make()
            return self._alone
        client: Optional[httpx.AsyncClient] = self._of_loop.get(loop)
        if client is None:
            client = self._of_loop[loop] = self._make()
        return client

    def _make(self) -> httpx.AsyncClient:
        # A server keeps an idle connection for longer than this, so that none is closed while a request sets out.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=20.0)
        transport = httpx.AsyncHTTPTransport(uds=self.options.socket, limits=limits) if self.options.socket else None
        return httpx.AsyncClient(
            base_url=self.options.url,
            headers={"user-agent": f"atoll-python/{VERSION}", **self.options.all_headers()},
            timeout=httpx.Timeout(self.options.timeout, connect=CONNECT_SECONDS),
            limits=limits,
            transport=transport,
            trust_env=transport is None,
        )

    async def aclose(self) -> None:
        self._closed = True
        if self._alone is not None:
            await self._alone.aclose()
        own = loop_key()
        for loop, client in list(self._of_loop.items()):
            if loop is own and is_alive(loop):
                await client.aclose()

    async def json(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        key: Optional[str] = None,
        creates: bool = False,
        wait: float = 0.0,
        deadline: Optional[float] = None,
        repeatable: bool = False,
    ) -> Any:
        """The answer's document. `creates`: with an idempotency key, so that it can be sent again."""
        sent: Dict[str, str] = dict(headers or {})
        content = None
        if body is not None:
            content = _json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogateescape")
            sent["content-type"] = "application/json"
        if creates or key:
            sent["idempotency-key"] = key or new_idempotency_key()
        response = await self.send(
            method,
            path,
            content,
            params=params,
            headers=sent,
            wait=wait,
            deadline=Deadline(deadline),
            repeatable=repeatable,
        )
        data = response.content
        return _json.loads(data) if data else None

    async def pages(self, path: str, name: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        """The elements of a list, page by page as they are wanted."""
        cursor = None
        while True:
            data = await self.json("GET", path, params={**params, "cursor": cursor})
            for item in data[name]:
                yield item
            cursor = data.get("next_cursor")
            if not cursor:
                return

    async def send(
        self,
        method: str,
        path: str,
        content: Optional[Body] = None,
        *,
        params: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        wait: float = 0.0,
        deadline: Optional[Deadline] = None,
        repeatable: bool = False,
        stream: bool = False,
        raises: bool = True,
    ) -> httpx.Response:
        """The answer; an error of ours when it is one. With `stream` its body is left to read, and to close."""
        limit = deadline or Deadline(None)
        sent: Dict[str, str] = dict(headers or {})
        can_repeat = repeatable or method in REPEATABLE or "idempotency-key" in sent
        given = {name: value for name, value in (params or {}).items() if value is not None}
        attempt = 0
        while True:
            retry_after: Optional[float] = None
            try:
                response = await self._once(method, path, content, given, sent, wait, limit, stream)
            except httpx.TransportError as error:
                if limit.passed:
                    raise Deadline.error() from error
                failure = self._failed(error)
                if not (can_repeat or isinstance(error, NOTHING_SENT)) or attempt >= self.options.retries:
                    raise failure from error
            else:
                if not raises or response.status_code < 400:
                    return response
                data = await response.aread()
                await response.aclose()
                answered = error_of(response.status_code, data, response.headers, path)
                if attempt >= self.options.retries or not self._worth_repeating(answered, can_repeat, attempt):
                    raise answered
                retry_after, failure = answered.retry_after, answered
            seconds = pause_before(attempt, retry_after)
            left = limit.left
            if seconds > MAX_PAUSE or (left is not None and seconds >= left):
                raise failure
            logger.debug("%s %s again in %.2f s: %s", method, path, seconds, failure.code)
            await pause(seconds)
            attempt += 1

    async def _once(
        self,
        method: str,
        path: str,
        content: Optional[Body],
        params: Mapping[str, Any],
        headers: Mapping[str, str],
        wait: float,
        limit: Deadline,
        stream: bool,
    ) -> httpx.Response:
        http = self.http()
        begun = time.perf_counter()
        request = http.build_request(
            method,
            path,
            content=content() if callable(content) else content,
            params=params or None,
            headers=headers,
            timeout=httpx.Timeout(
                limit.within(self.options.timeout + wait), connect=limit.within(CONNECT_SECONDS), pool=None
            ),
        )
        response = await http.send(request, stream=stream)
        if logger.isEnabledFor(logging.DEBUG):  # neither headers nor bodies: both hold secrets
            took = (time.perf_counter() - begun) * 1e3
            logger.debug("%s %s %d %.1f ms", method, path, response.status_code, took)
        return response

    @staticmethod
    def _worth_repeating(error: SandboxError, can_repeat: bool, attempt: int) -> bool:
        if error.code == "quota_exceeded":
            return False
        if error.status == 429:
            return True  # refused before anything was done
        if error.status == 409 and attempt > 0:
            return can_repeat and error.code == "conflict"  # our own first request still runs
        return error.status in (502, 503, 504) and can_repeat

    def _failed(self, error: httpx.TransportError) -> SandboxError:
        url = f"unix://{self.options.socket}" if self.options.socket else self.options.url
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
            return ConnectionFailedError(
                f"no server answers at {url} ({error}); start one with `atoll serve` (or `./dev up` in a clone), name "
                "another by ATOLL_URL or Atoll(url), or let Sandbox.local() start one"
            )
        reason = str(error) or type(error).__name__
        return ConnectionFailedError(f"the connection to {url} failed: {reason}")
