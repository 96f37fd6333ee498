"""`SandboxClient`, the first client's interface."""

from __future__ import annotations

from types import TracebackType
from typing import Optional, Type

from ._async.seed import AsyncSandboxClient
from ._sync.seed import SandboxClient as _SandboxClient

__all__ = ["AsyncSandboxClient", "SandboxClient"]


class SandboxClient(_SandboxClient):
    """create_session, execute_python, execute_command, upload_file, download_file, close.

    `with` closes it. `async with SandboxClient(…) as client` gives the same with `await`.
    """

    def __init__(self, base_url: str = "http://localhost:8000", api_key: Optional[str] = None) -> None:
        super().__init__(base_url, api_key)
        self._api_key = api_key
        self._asynchronous: Optional[AsyncSandboxClient] = None

    async def __aenter__(self) -> AsyncSandboxClient:
        self._asynchronous = AsyncSandboxClient(self.base_url, self._api_key)
        return self._asynchronous

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._asynchronous is not None:
            await self._asynchronous.close()
        self.close()
