"""What can go wrong. Every error has a `code` that does not change; the sentence may."""

from __future__ import annotations

import email.utils
import json
import time
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Type

if TYPE_CHECKING:
    from ._results import Execution


class SandboxError(Exception):
    """The root of all errors of this package."""

    code: str = "error"

    def __init__(
        self,
        detail: str,
        *,
        code: Optional[str] = None,
        status: Optional[int] = None,
        problem: Optional[Mapping[str, Any]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(detail)
        self.code = code or type(self).code
        self.detail = detail
        self.status = status
        """The status of the answer; None when it was not the server that refused."""
        self.problem: Dict[str, Any] = dict(problem or {})
        """The whole answer (RFC 9457)."""
        self.retry_after = retry_after
        """Seconds after which it may work, where the server says so."""

    @property
    def at(self) -> Optional[str]:
        """JSON pointer to the field that is wrong."""
        return self.problem.get("at")

    @property
    def request_id(self) -> Optional[str]:
        return self.problem.get("request_id")

    def __str__(self) -> str:
        where = f" (at {self.at})" if self.at else ""
        return f"{self.code}: {self.detail}{where}"


class InvalidRequestError(SandboxError):
    """400, 413, 415, 422: what was asked for cannot be."""


class UnsupportedBackendError(InvalidRequestError):
    """The backend is unknown or not available here."""


class AuthenticationError(SandboxError):
    """401: no key, or none that is valid. `Atoll(api_key=…)` or ATOLL_API_KEY sets it."""


class PermissionDeniedError(SandboxError):
    """403: the key may not do this."""


class SandboxDisabledError(PermissionDeniedError):
    """The server's configuration has no sandboxes."""


class NotFoundError(SandboxError):
    """404: it is not there, or belongs to another tenant."""


class ConflictError(SandboxError):
    """409: not in this state, or taken already."""


class SandboxNotStartedError(ConflictError):
    """The sandbox is paused or has ended."""


class RateLimitError(SandboxError):
    """429: too much at one time; `retry_after` says when to come again."""


class QuotaExceededError(RateLimitError):
    """429 `quota_exceeded`: the tenant has as much as it may have, of what `quota` says."""

    @property
    def quota(self) -> Optional[str]:
        return self.problem.get("quota")


class ServerError(SandboxError):
    """5xx: the server could not."""


class ServerUnavailableError(ServerError):
    """503: not now."""


class ConnectionFailedError(SandboxError):
    """No server, or the connection broke and no retry helped."""

    code = "connection_failed"


class DeadlineExceededError(SandboxError, TimeoutError):
    """The caller's own deadline passed."""

    code = "deadline_exceeded"


class StreamInterruptedError(SandboxError):
    """A stream was cut and could not be resumed; something of it may be missing."""

    code = "stream_interrupted"


class SandboxExecutionError(SandboxError):
    """With `check=True`: the program ended otherwise than with 0. `execution` is its result."""

    code = "execution_failed"

    def __init__(self, execution: Execution) -> None:
        how = execution.error.message if execution.error and execution.error.message else None
        how = how or f"exit code {execution.exit_code}"
        last = execution.stderr.strip().rsplit("\n", 1)[-1]
        super().__init__(
            f"{execution.state}: {how}" + (f": {last}" if last and last not in how else ""),
            code="exec_timeout" if execution.timed_out else None,
        )
        self.execution = execution


_BY_STATUS: Dict[int, Type[SandboxError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    416: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
    503: ServerUnavailableError,
}
_BY_CODE: Dict[str, Type[SandboxError]] = {
    "sandbox_disabled": SandboxDisabledError,
    "unsupported_backend": UnsupportedBackendError,
    "quota_exceeded": QuotaExceededError,
}


def seconds_of(retry_after: Optional[str]) -> Optional[float]:
    """Of a header: seconds or a date."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def error_of(status: int, body: bytes, headers: Mapping[str, str], path: str) -> SandboxError:
    """The error that an answer tells."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        text = body[:200].decode("utf-8", "replace").strip()
        problem = {"code": "unexpected_answer", "detail": f"status {status} without a reason from Atoll: {text}"}
    code = problem["code"]
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status) or (ServerError if status >= 500 else SandboxError)
    if kind is ConflictError and code == "conflict" and "/sessions/" in path:
        kind = SandboxNotStartedError
    return kind(
        str(problem.get("detail") or problem.get("title") or code),
        code=code,
        status=status,
        problem=problem,
        retry_after=seconds_of(headers.get("retry-after")),
    )
