"""The client: one server, one key."""

from __future__ import annotations

from types import TracebackType
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
)

from .._local import local_server
from .._models import (
    ApiKey,
    AuditAction,
    AuditEntry,
    Backends,
    Judgement,
    NetworkPolicy,
    Ready,
    Resources,
    Role,
    Runtime,
    Secret,
    Session,
    SessionState,
    Snapshot,
    Template,
    TemplateBody,
)
from .._options import Options, path_of
from .._results import Execution
from .compat import gather
from .execution import SDK_TIMEOUT, Command, execute_body
from .sandbox import AsyncSandbox
from .stream import AsyncLiveStream
from .transport import AsyncTransport

T = TypeVar("T")
Item = TypeVar("Item")
CREATE_SECONDS = 60.0


class AsyncAtoll:
    """A client of one server. `url` and `api_key` come from ATOLL_URL and ATOLL_API_KEY where they are absent; the
    address of last resort is http://127.0.0.1:8080. `tenant`, for owners: act for that tenant."""

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        tenant: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        options = Options.make(url, api_key, timeout=timeout, retries=retries, tenant=tenant, headers=headers)
        self._transport = AsyncTransport(options)
        self.templates = AsyncTemplates(self._transport)
        self.snapshots = AsyncSnapshots(self._transport)
        self.secrets = AsyncSecrets(self._transport)
        self.keys = AsyncKeys(self._transport)

    @classmethod
    def local(cls, **more: Any) -> AsyncAtoll:
        """A client of a server that is started for this process and ends with it."""
        server = local_server()
        return cls(server.url, server.api_key, **more)

    @property
    def url(self) -> str:
        return self._transport.options.url

    # ---- sandboxes ----

    async def create(
        self,
        template: Optional[str] = None,
        *,
        session_key: Optional[str] = None,
        timeout: Optional[int] = None,
        idle_timeout: Optional[int] = None,
        env: Optional[Mapping[str, str]] = None,
        labels: Optional[Mapping[str, str]] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        allow_network: Optional[bool] = None,
        network: Optional[NetworkPolicy] = None,
        resources: Optional[Resources] = None,
        snapshot: Union[None, str, Snapshot] = None,
        wait: bool = True,
        idempotency_key: Optional[str] = None,
        deadline: Optional[float] = None,
    ) -> AsyncSandbox:
        """A new sandbox, ready to use; with `wait=False` at once, and what runs in it waits for it.

        `timeout` is its lifetime in seconds. The same `session_key` gives the same sandbox while it lives, and after
        that a new one with its files.
        """
        config = {
            "timeout_seconds": timeout,
            "idle_timeout_seconds": idle_timeout,
            "environment": dict(env) if env else None,
            "allow_network": allow_network,
            "network": network,
            "resources": resources,
        }
        config = {name: value for name, value in config.items() if value is not None}
        body = {
            "template_id": template,
            "session_key": session_key,
            "labels": dict(labels) if labels else None,
            "metadata": dict(metadata) if metadata else None,
            "snapshot_id": snapshot.id if isinstance(snapshot, Snapshot) else snapshot,
            "config": config or None,
        }
        data = await self._transport.json(
            "POST",
            "/api/v1/sessions",
            {name: value for name, value in body.items() if value is not None},
            headers={"prefer": f"wait={int(CREATE_SECONDS)}"} if wait else None,
            key=idempotency_key,
            creates=True,
            wait=CREATE_SECONDS if wait else 0.0,
            deadline=deadline,
        )
        return AsyncSandbox(self._transport, Session.from_json(data))

    async def connect(self, id: str) -> AsyncSandbox:
        """A sandbox that exists."""
        data = await self._transport.json("GET", path_of("sessions", id))
        return AsyncSandbox(self._transport, Session.from_json(data))

    async def list(
        self,
        *,
        labels: Optional[Mapping[str, str]] = None,
        status: Union[None, str, Sequence[Union[str, SessionState]]] = None,
        template: Optional[str] = None,
        session_key: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> AsyncIterator[Session]:
        """Sandboxes, newest first; further pages are fetched as they are wanted."""
        states = status if status is None or isinstance(status, str) else ",".join(str(state) for state in status)
        params = {
            "status": states,
            "template": template,
            "session_key": session_key,
            "label": [f"{name}={value}" for name, value in labels.items()] if labels else None,
            "limit": page_size,
        }
        async for item in self._transport.pages("/api/v1/sessions", "sessions", params):
            yield Session.from_json(item)

    async def end_by_key(self, session_key: str) -> None:
        """Ends the live sandbox of a key, if there is one. Its files stay."""
        await self._transport.json("DELETE", "/api/v1/sessions", params={"session_key": session_key})

    async def run(
        self,
        code: Optional[str] = None,
        *,
        command: Optional[Command] = None,
        language: Optional[str] = None,
        template: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: Union[None, str, bytes] = None,
        timeout: Optional[float] = None,
        labels: Optional[Mapping[str, str]] = None,
        check: bool = False,
    ) -> Execution:
        """One shot: a sandbox, this in it, and its end."""
        body = execute_body(code, command, language, env=env, stdin=stdin, timeout=timeout)
        if template:
            body["template_id"] = template
        if labels:
            body["labels"] = dict(labels)
        wait = SDK_TIMEOUT if timeout is None else (timeout or 3600.0)
        data = await self._transport.json("POST", "/api/v1/run", body, creates=True, wait=wait + CREATE_SECONDS)
        execution = Execution.from_json(data)
        return execution.check() if check else execution

    async def map(
        self,
        work: Callable[[AsyncSandbox, Item], Awaitable[T]],
        items: Iterable[Item],
        *,
        parallel: int = 16,
        **create: Any,
    ) -> List[T]:
        """`work(box, item)` for every item, each in a sandbox of its own, so many at a time; the results in order.

        The first error ends it. Further arguments are those of `create`.
        """

        def job(item: Item) -> Callable[[], Awaitable[T]]:
            async def run() -> T:
                async with await self.create(**create) as box:
                    return await work(box, item)

            return run

        return await gather([job(item) for item in items], parallel)

    # ---- the server ----

    async def health(self) -> Dict[str, Any]:
        data: Dict[str, Any] = await self._transport.json("GET", "/api/v1/health")
        return data

    async def ready(self) -> Ready:
        return Ready.from_json(await self._transport.json("GET", "/api/v1/ready"))

    async def backends(self) -> Backends:
        return Backends.from_json(await self._transport.json("GET", "/api/v1/backends"))

    async def runtimes(self) -> List[Runtime]:
        data = await self._transport.json("GET", "/api/v1/runtimes")
        return [Runtime.from_json(item) for item in data["runtimes"]]

    async def check_policy(self, code: str, language: str = "python") -> Judgement:
        """How risky code looks; nothing is run."""
        body = {"code": code, "language": language}
        return Judgement.from_json(await self._transport.json("POST", "/api/v1/policy/check", body, repeatable=True))

    async def metrics(self) -> str:
        """Figures in the format of Prometheus."""
        return (await self._transport.send("GET", "/api/v1/metrics", headers={"accept": "text/plain"})).text

    async def audit(
        self,
        *,
        action: Union[None, str, AuditAction] = None,
        session_id: Optional[str] = None,
        key_id: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> AsyncIterator[AuditEntry]:
        """Who did what, newest first (admin)."""
        params = {
            "action": action,
            "session_id": session_id,
            "key_id": key_id,
            "since": since,
            "until": until,
            "limit": page_size,
        }
        async for item in self._transport.pages("/api/v1/audit", "audit", params):
            yield AuditEntry.from_json(item)

    def events(self) -> AsyncLiveStream:
        """Sandboxes and executions as they begin, change and end, from the moment at which `async with` is entered."""
        return AsyncLiveStream(self._transport, "/api/v1/events")

    async def aclose(self) -> None:
        """Closes its connections. Sandboxes live on."""
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncAtoll:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"


class AsyncTemplates:
    """What sandboxes are made from."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> List[Template]:
        data = await self._transport.json("GET", "/api/v1/templates")
        return [Template.from_json(item) for item in data["templates"]]

    async def get(self, id: str) -> Template:
        return Template.from_json(await self._transport.json("GET", path_of("templates", id)))

    async def create(self, body: TemplateBody) -> Template:
        return Template.from_json(await self._transport.json("POST", "/api/v1/templates", body, creates=True))

    async def replace(self, id: str, body: TemplateBody) -> Template:
        return Template.from_json(await self._transport.json("PUT", path_of("templates", id), body))

    async def delete(self, id: str) -> None:
        await self._transport.json("DELETE", path_of("templates", id))


class AsyncSnapshots:
    """Kept files."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> List[Snapshot]:
        data = await self._transport.json("GET", "/api/v1/snapshots")
        return [Snapshot.from_json(item) for item in data["snapshots"]]

    async def get(self, id: str) -> Snapshot:
        return Snapshot.from_json(await self._transport.json("GET", path_of("snapshots", id)))

    async def delete(self, id: str) -> None:
        await self._transport.json("DELETE", path_of("snapshots", id))


class AsyncSecrets:
    """Values that never enter a sandbox. They are written, used by network policies, and not read back."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> List[Secret]:
        data = await self._transport.json("GET", "/api/v1/secrets")
        return [Secret.from_json(item) for item in data["secrets"]]

    async def get(self, name: str) -> Secret:
        return Secret.from_json(await self._transport.json("GET", path_of("secrets", name)))

    async def put(self, name: str, value: str) -> Secret:
        return Secret.from_json(await self._transport.json("PUT", path_of("secrets", name), {"value": value}))

    async def delete(self, name: str) -> None:
        await self._transport.json("DELETE", path_of("secrets", name))


class AsyncKeys:
    """API keys (admin)."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> List[ApiKey]:
        data = await self._transport.json("GET", "/api/v1/keys")
        return [ApiKey.from_json(item) for item in data["keys"]]

    async def create(
        self, *, role: Union[None, str, Role] = None, tenant: Optional[str] = None, name: Optional[str] = None
    ) -> ApiKey:
        """Its `secret` is in this answer only."""
        body = {"role": role, "tenant": tenant, "name": name}
        body = {field: value for field, value in body.items() if value is not None}
        return ApiKey.from_json(await self._transport.json("POST", "/api/v1/keys", body, creates=True))

    async def revoke(self, id: str) -> None:
        await self._transport.json("DELETE", path_of("keys", id))
