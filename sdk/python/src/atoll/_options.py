"""Which server, with which key, and how patiently: from arguments and the environment."""

from __future__ import annotations

import os
import random
import secrets
import time
from dataclasses import dataclass, field
from typing import Mapping, Optional
from urllib.parse import quote, unquote

from ._errors import DeadlineExceededError, SandboxError

DEFAULT_URL = "http://127.0.0.1:8080"
MAX_PAUSE = 60.0  # a server that asks for more is not waited for


def environment(*names: str) -> Optional[str]:
    for name in names:
        if value := os.environ.get(name):
            return value
    return None


@dataclass(frozen=True)
class Options:
    url: str
    api_key: Optional[str] = field(repr=False)  # never in a log or a traceback
    timeout: float = 60.0
    """Seconds that an answer may keep us waiting, beyond the time that the work itself may take."""
    retries: int = 3
    tenant: Optional[str] = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    socket: Optional[str] = None

    @classmethod
    def make(
        cls,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        tenant: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Options:
        url = url or environment("ATOLL_URL", "ATOLL_SERVER") or DEFAULT_URL
        socket = None
        if url.startswith("unix://"):
            socket, url = unquote(url[len("unix://") :]), "http://localhost"
        elif not url.startswith(("http://", "https://")):
            raise SandboxError(
                f"{url!r} is no address; it begins with http://, https:// or unix://", code="invalid_argument"
            )
        key = api_key or environment("ATOLL_API_KEY", "ATOLL_KEY")
        return cls(url.rstrip("/"), key, timeout, retries, tenant, dict(headers or {}), socket)

    def all_headers(self) -> Mapping[str, str]:
        headers = {"accept": "application/json", "accept-encoding": "identity", **self.headers}
        if self.api_key:
            headers["authorization"] = f"Bearer {self.api_key}"
        if self.tenant:
            headers["atoll-tenant"] = self.tenant
        return headers


class Deadline:
    """A moment by which the caller wants an answer; None is never."""

    def __init__(self, seconds: Optional[float]) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> Optional[float]:
        return None if self._end is None else self._end - time.monotonic()

    def within(self, seconds: float) -> float:
        """So many seconds, or what is left."""
        left = self.left
        if left is None:
            return seconds
        if left <= 0:
            raise self.error()
        return min(seconds, left)

    @property
    def passed(self) -> bool:
        left = self.left
        return left is not None and left <= 0

    @staticmethod
    def error() -> DeadlineExceededError:
        return DeadlineExceededError("the deadline that was given has passed")


def pause_before(attempt: int, retry_after: Optional[float]) -> float:
    """Seconds to wait before a further attempt: what the server says, else doubling, with jitter."""
    if retry_after is not None:
        return retry_after + random.uniform(0, 0.1)  # noqa: S311 (no secret)
    return float(min(8.0, 0.2 * 2**attempt) * random.uniform(0.5, 1.0))  # noqa: S311


def new_idempotency_key() -> str:
    return "py-" + secrets.token_hex(16)


def _escape(part: object, safe: str = "") -> str:
    """Names that are no UTF-8 keep their bytes; steps up reach the server, which refuses them."""
    text = quote(os.fsencode(str(part)), safe=safe)
    if "." in text:
        text = "/".join(step.replace(".", "%2E") if step in (".", "..") else step for step in text.split("/"))
    return text


def path_of(*parts: object) -> str:
    """A path of the API."""
    return "/api/v1/" + "/".join(map(_escape, parts))


def file_path(session: str, name: object) -> str:
    """Of a file: its slashes stay."""
    return path_of("sessions", session, "files") + "/" + _escape(name, "/")
