# Made by tools/sdk_unasync.py from _async/client.py; changes belong there.
"""The client: one server, one key."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Type, TypeVar, Union

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
from .sandbox import Sandbox
from .stream import LiveStream
from .transport import Transport

T = TypeVar("T")
Item = TypeVar("Item")
CREATE_SECONDS = 60.0


class Atoll:
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
        self._transport = Transport(options)
        self.templates = Templates(self._transport)
        self.snapshots = Snapshots(self._transport)
        self.secrets = Secrets(self._transport)
        self.keys = Keys(self._transport)

    @classmethod
    def local(cls, **more: Any) -> Atoll:
        """A client of a server that is started for this process and ends with it."""
        server = local_server()
        return cls(server.url, server.api_key, **more)

    @property
    def url(self) -> str:
        return self._transport.options.url

    # ---- sandboxes ----

    def create(
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
    ) -> Sandbox:
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
        data = self._transport.json(
            "POST",
            "/api/v1/sessions",
            {name: value for name, value in body.items() if value is not None},
            headers={"prefer": f"wait={int(CREATE_SECONDS)}"} if wait else None,
            key=idempotency_key,
            creates=True,
            wait=CREATE_SECONDS if wait else 0.0,
            deadline=deadline,
        )
        return Sandbox(self._transport, Session.from_json(data))

    def connect(self, id: str) -> Sandbox:
        """A sandbox that exists."""
        data = self._transport.json("GET", path_of("sessions", id))
        return Sandbox(self._transport, Session.from_json(data))

    def list(
        self,
        *,
        labels: Optional[Mapping[str, str]] = None,
        status: Union[None, str, Sequence[Union[str, SessionState]]] = None,
        template: Optional[str] = None,
        session_key: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> Iterator[Session]:
        """Sandboxes, newest first; further pages are fetched as they are wanted."""
        states = status if status is None or isinstance(status, str) else ",".join(str(state) for state in status)
        params = {
            "status": states,
            "template": template,
            "session_key": session_key,
            "label": [f"{name}={value}" for name, value in labels.items()] if labels else None,
            "limit": page_size,
        }
        for item in self._transport.pages("/api/v1/sessions", "sessions", params):
            yield Session.from_json(item)

    def end_by_key(self, session_key: str) -> None:
        """Ends the live sandbox of a key, if there is one. Its files stay."""
        self._transport.json("DELETE", "/api/v1/sessions", params={"session_key": session_key})

    def run(
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
        data = self._transport.json("POST", "/api/v1/run", body, creates=True, wait=wait + CREATE_SECONDS)
        execution = Execution.from_json(data)
        return execution.check() if check else execution

    def map(
        self,
        work: Callable[[Sandbox, Item], T],
        items: Iterable[Item],
        *,
        parallel: int = 16,
        **create: Any,
    ) -> List[T]:
        """`work(box, item)` for every item, each in a sandbox of its own, so many at a time; the results in order.

        The first error ends it. Further arguments are those of `create`.
        """

        def job(item: Item) -> Callable[[], T]:
            def run() -> T:
                with self.create(**create) as box:
                    return work(box, item)

            return run

        return gather([job(item) for item in items], parallel)

    # ---- the server ----

    def health(self) -> Dict[str, Any]:
        data: Dict[str, Any] = self._transport.json("GET", "/api/v1/health")
        return data

    def ready(self) -> Ready:
        return Ready.from_json(self._transport.json("GET", "/api/v1/ready"))

    def backends(self) -> Backends:
        return Backends.from_json(self._transport.json("GET", "/api/v1/backends"))

    def runtimes(self) -> List[Runtime]:
        data = self._transport.json("GET", "/api/v1/runtimes")
        return [Runtime.from_json(item) for item in data["runtimes"]]

    def check_policy(self, code: str, language: str = "python") -> Judgement:
        """How risky code looks; nothing is run."""
        body = {"code": code, "language": language}
        return Judgement.from_json(self._transport.json("POST", "/api/v1/policy/check", body, repeatable=True))

    def metrics(self) -> str:
        """Figures in the format of Prometheus."""
        return (self._transport.send("GET", "/api/v1/metrics", headers={"accept": "text/plain"})).text

    def audit(
        self,
        *,
        action: Union[None, str, AuditAction] = None,
        session_id: Optional[str] = None,
        key_id: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> Iterator[AuditEntry]:
        """Who did what, newest first (admin)."""
        params = {
            "action": action,
            "session_id": session_id,
            "key_id": key_id,
            "since": since,
            "until": until,
            "limit": page_size,
        }
        for item in self._transport.pages("/api/v1/audit", "audit", params):
            yield AuditEntry.from_json(item)

    def events(self) -> LiveStream:
        """Sandboxes and executions as they begin, change and end, from the moment at which `with` is entered."""
        return LiveStream(self._transport, "/api/v1/events")

    def close(self) -> None:
        """Closes its connections. Sandboxes live on."""
        self._transport.close()

    def __enter__(self) -> Atoll:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"


class Templates:
    """What sandboxes are made from."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> List[Template]:
        data = self._transport.json("GET", "/api/v1/templates")
        return [Template.from_json(item) for item in data["templates"]]

    def get(self, id: str) -> Template:
        return Template.from_json(self._transport.json("GET", path_of("templates", id)))

    def create(self, body: TemplateBody) -> Template:
        return Template.from_json(self._transport.json("POST", "/api/v1/templates", body, creates=True))

    def replace(self, id: str, body: TemplateBody) -> Template:
        return Template.from_json(self._transport.json("PUT", path_of("templates", id), body))

    def delete(self, id: str) -> None:
        self._transport.json("DELETE", path_of("templates", id))


class Snapshots:
    """Kept files."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> List[Snapshot]:
        data = self._transport.json("GET", "/api/v1/snapshots")
        return [Snapshot.from_json(item) for item in data["snapshots"]]

    def get(self, id: str) -> Snapshot:
        return Snapshot.from_json(self._transport.json("GET", path_of("snapshots", id)))

    def delete(self, id: str) -> None:
        self._transport.json("DELETE", path_of("snapshots", id))


class Secrets:
    """Values that never enter a sandbox. They are written, used by network policies, and not read back."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> List[Secret]:
        data = self._transport.json("GET", "/api/v1/secrets")
        return [Secret.from_json(item) for item in data["secrets"]]

    def get(self, name: str) -> Secret:
        return Secret.from_json(self._transport.json("GET", path_of("secrets", name)))

    def put(self, name: str, value: str) -> Secret:
        return Secret.from_json(self._transport.json("PUT", path_of("secrets", name), {"value": value}))

    def delete(self, name: str) -> None:
        self._transport.json("DELETE", path_of("secrets", name))


class Keys:
    """API keys (admin)."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> List[ApiKey]:
        data = self._transport.json("GET", "/api/v1/keys")
        return [ApiKey.from_json(item) for item in data["keys"]]

    def create(
        self, *, role: Union[None, str, Role] = None, tenant: Optional[str] = None, name: Optional[str] = None
    ) -> ApiKey:
        """Its `secret` is in this answer only."""
        body = {"role": role, "tenant": tenant, "name": name}
        body = {field: value for field, value in body.items() if value is not None}
        return ApiKey.from_json(self._transport.json("POST", "/api/v1/keys", body, creates=True))

    def revoke(self, id: str) -> None:
        self._transport.json("DELETE", path_of("keys", id))
