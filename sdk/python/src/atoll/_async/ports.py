"""A server inside a sandbox."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import httpx

from .._models import Preview
from .._options import Deadline, path_of
from .compat import pause
from .transport import AsyncTransport


class AsyncPort:
    """A port inside. `url` and `headers` are ready for any HTTP client; `request` is one."""

    def __init__(self, transport: AsyncTransport, session: str, port: int) -> None:
        self._transport = transport
        self._session = session
        self.port = port

    @property
    def _root(self) -> str:
        return path_of("sessions", self._session, "proxy", self.port)

    @property
    def url(self) -> str:
        """Of the server inside, through the API; it ends with a slash."""
        return f"{self._transport.options.url}{self._root}/"

    @property
    def headers(self) -> Mapping[str, str]:
        """What requests to `url` must bring: the key."""
        key = self._transport.options.api_key
        return {"Authorization": f"Bearer {key}"} if key else {}

    async def request(
        self,
        method: str = "GET",
        path: str = "/",
        content: Optional[bytes] = None,
        *,
        headers: Optional[Mapping[str, str]] = None,
        params: Optional[Mapping[str, Any]] = None,
    ) -> httpx.Response:
        """The answer of the server inside, whatever its status; 502 when nobody listens."""
        return await self._transport.send(
            method, f"{self._root}/{path.lstrip('/')}", content, headers=headers, params=params, raises=False
        )

    async def wait(self, path: str = "/", timeout: float = 60.0) -> httpx.Response:
        """Until somebody listens: the first answer that is not 502."""
        limit = Deadline(timeout)
        while True:
            response = await self.request(path=path)
            if response.status_code != 502:
                return response
            await pause(limit.within(0.05))

    async def preview(self, ttl: Optional[int] = None) -> Preview:
        """URLs that a browser can open, without a key, for `ttl` seconds."""
        path = path_of("sessions", self._session, "ports", self.port, "token")
        body = {} if ttl is None else {"ttl": ttl}
        return Preview.from_json(await self._transport.json("POST", path, body, repeatable=True))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.port} {self.url}>"
