"""Sandboxes for code that nobody has read: the Python client of Atoll.

    from atoll import Sandbox

    with Sandbox.create() as box:
        print(box.run("print(6 * 7)").stdout)

`Atoll` and `Sandbox` wait; `AsyncAtoll` and `AsyncSandbox` are the same with `await`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

from ._errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    DeadlineExceededError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    QuotaExceededError,
    RateLimitError,
    SandboxDisabledError,
    SandboxError,
    SandboxExecutionError,
    SandboxNotStartedError,
    ServerError,
    ServerUnavailableError,
    StreamInterruptedError,
    UnsupportedBackendError,
)
from ._version import VERSION

if TYPE_CHECKING:
    from . import models
    from ._async.client import AsyncAtoll
    from ._async.execution import AsyncContext, AsyncJob
    from ._async.files import AsyncFiles
    from ._async.ports import AsyncPort
    from ._async.sandbox import AsyncSandbox
    from ._async.stream import AsyncEventStream, AsyncExecutionStream, AsyncLiveStream
    from ._async.terminal import AsyncTerminal
    from ._events import Event
    from ._local import LocalServer, local_server
    from ._models import Session
    from ._results import Execution, Result
    from ._sync.client import Atoll
    from ._sync.execution import Context, Job
    from ._sync.files import Files
    from ._sync.ports import Port
    from ._sync.sandbox import Sandbox
    from ._sync.stream import EventStream, ExecutionStream, LiveStream
    from ._sync.terminal import Terminal
    from .seed import AsyncSandboxClient, SandboxClient

__version__ = VERSION

# Loaded when first asked for, so that `import atoll` costs little and nobody pays for the half that he does not use.
_WHERE = {
    "AsyncAtoll": "_async.client",
    "AsyncContext": "_async.execution",
    "AsyncEventStream": "_async.stream",
    "AsyncExecutionStream": "_async.stream",
    "AsyncFiles": "_async.files",
    "AsyncJob": "_async.execution",
    "AsyncLiveStream": "_async.stream",
    "AsyncPort": "_async.ports",
    "AsyncSandbox": "_async.sandbox",
    "AsyncSandboxClient": "seed",
    "AsyncTerminal": "_async.terminal",
    "Atoll": "_sync.client",
    "Context": "_sync.execution",
    "Event": "_events",
    "EventStream": "_sync.stream",
    "Execution": "_results",
    "ExecutionStream": "_sync.stream",
    "Files": "_sync.files",
    "Job": "_sync.execution",
    "LiveStream": "_sync.stream",
    "LocalServer": "_local",
    "Port": "_sync.ports",
    "Result": "_results",
    "Sandbox": "_sync.sandbox",
    "SandboxClient": "seed",
    "Session": "_models",
    "Terminal": "_sync.terminal",
    "local_server": "_local",
}

__all__ = [
    "AsyncAtoll",
    "AsyncContext",
    "AsyncEventStream",
    "AsyncExecutionStream",
    "AsyncFiles",
    "AsyncJob",
    "AsyncLiveStream",
    "AsyncPort",
    "AsyncSandbox",
    "AsyncSandboxClient",
    "AsyncTerminal",
    "Atoll",
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "Context",
    "DeadlineExceededError",
    "Event",
    "EventStream",
    "Execution",
    "ExecutionStream",
    "Files",
    "InvalidRequestError",
    "Job",
    "LiveStream",
    "LocalServer",
    "NotFoundError",
    "PermissionDeniedError",
    "Port",
    "QuotaExceededError",
    "RateLimitError",
    "Result",
    "Sandbox",
    "SandboxClient",
    "SandboxDisabledError",
    "SandboxError",
    "SandboxExecutionError",
    "SandboxNotStartedError",
    "ServerError",
    "ServerUnavailableError",
    "Session",
    "StreamInterruptedError",
    "Terminal",
    "UnsupportedBackendError",
    "__version__",
    "local_server",
    "models",
]


def __getattr__(name: str) -> Any:
    if name == "models":
        return importlib.import_module(".models", __name__)
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted(__all__)
