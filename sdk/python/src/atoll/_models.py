# Made by tools/sdk_models.py from openapi.yaml; changes belong there.
"""What the server answers, and what it is told, as types."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Dict, List, Mapping, Optional, Type, TypedDict, TypeVar, Union

from ._json import Model, items, time_of


class Role(str, Enum):
    """Absent in a request: owner for the first key of a server, else user."""

    OWNER = "owner"
    ADMIN = "admin"
    APPROVER = "approver"
    USER = "user"
    READ_ONLY = "read-only"

    @classmethod
    def of(cls, value: str) -> Union[Role, str]:
        """Values of a newer server stay text."""
        found = cls._value2member_map_.get(value)
        return found if isinstance(found, cls) else value

    __str__ = str.__str__


class RuntimeHealth(str, Enum):
    """Runtime health."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"

    @classmethod
    def of(cls, value: str) -> Union[RuntimeHealth, str]:
        """Values of a newer server stay text."""
        found = cls._value2member_map_.get(value)
        return found if isinstance(found, cls) else value

    __str__ = str.__str__


class SessionState(str, Enum):
    """Session state."""

    CREATING = "creating"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    TERMINATED = "terminated"
    FAILED = "failed"

    @classmethod
    def of(cls, value: str) -> Union[SessionState, str]:
        """Values of a newer server stay text."""
        found = cls._value2member_map_.get(value)
        return found if isinstance(found, cls) else value

    __str__ = str.__str__


class ExecutionState(str, Enum):
    """Execution state."""

    QUEUED = "queued"
    AWAITING_APPROVAL = "awaiting_approval"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    REJECTED = "rejected"

    @classmethod
    def of(cls, value: str) -> Union[ExecutionState, str]:
        """Values of a newer server stay text."""
        found = cls._value2member_map_.get(value)
        return found if isinstance(found, cls) else value

    __str__ = str.__str__


class AuditAction(str, Enum):
    """Audit action."""

    SESSION_CREATED = "session_created"
    SESSION_CHANGED = "session_changed"
    SESSION_RENEWED = "session_renewed"
    SESSION_PAUSED = "session_paused"
    SESSION_RESUMED = "session_resumed"
    SESSION_DELETED = "session_deleted"
    EXECUTION_STARTED = "execution_started"
    EXECUTION_CANCELLED = "execution_cancelled"
    EXECUTION_REFUSED = "execution_refused"
    FILE_WRITTEN = "file_written"
    FILE_REMOVED = "file_removed"
    SNAPSHOT_CREATED = "snapshot_created"
    SNAPSHOT_DELETED = "snapshot_deleted"
    TEMPLATE_CREATED = "template_created"
    TEMPLATE_CHANGED = "template_changed"
    TEMPLATE_DELETED = "template_deleted"
    TERMINAL_OPENED = "terminal_opened"
    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    PREVIEW_TOKEN_CREATED = "preview_token_created"
    SECRET_SET = "secret_set"
    SECRET_DELETED = "secret_deleted"
    NETWORK_CHANGED = "network_changed"
    NETWORK_REFUSED = "network_refused"
    APPROVAL_REQUESTED = "approval_requested"
    APPROVAL_DECIDED = "approval_decided"
    TEST_STARTED = "test_started"
    TENANT_CHANGED = "tenant_changed"
    EXECUTION_ENDED = "execution_ended"
    FILE_CHANGED = "file_changed"

    @classmethod
    def of(cls, value: str) -> Union[AuditAction, str]:
        """Values of a newer server stay text."""
        found = cls._value2member_map_.get(value)
        return found if isinstance(found, cls) else value

    __str__ = str.__str__


class RiskLevel(str, Enum):
    """Risk level."""

    SAFE = "safe"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @classmethod
    def of(cls, value: str) -> Union[RiskLevel, str]:
        """Values of a newer server stay text."""
        found = cls._value2member_map_.get(value)
        return found if isinstance(found, cls) else value

    __str__ = str.__str__


class Resources(TypedDict, total=False):
    """Resources."""

    cpu: float
    """Cores"""
    memory: int
    """MB"""
    disk: int
    """MB"""
    pids: int


class NetworkRule(TypedDict, total=False):
    """Network rule."""

    action: str
    target: str
    """A name; `*.example.org` for all names below example.org; `*` for everything; or a network such as
    203.0.113.0/24, for connections to addresses.
    """
    ports: List[Union[int, str]]
    """Ports, and ranges such as "8000-8999". Absent: all."""


class SecretUse(TypedDict, total=False):
    """Secret use."""

    env: str
    """Variable that holds a placeholder inside"""
    secret: str
    """Name of the secret whose value the placeholder becomes"""
    hosts: List[str]
    """Names, and patterns such as *.example.org, that get the value. Everybody else gets the placeholder."""


class NetworkPolicy(TypedDict, total=False):
    """What a session may reach. The first rule that matches decides, then `default`. In a session it narrows what
    the template allows; where the template has no network, only admins may give one. A backend that cannot
    enforce it refuses the session with 422 policy_unsupported. Not together with `allow_network` and
    `allowed_domains`.
    """

    default: str
    rules: List[NetworkRule]
    allow_private: List[str]
    """Networks, such as 10.1.0.0/16, that may be reached though they are not public."""
    headers: Dict[str, Dict[str, Any]]
    """Pattern of names → header → a string, or {"secret": NAME}: set in every request to such a host. Tokens
    belong in secrets: a string is shown to whoever may see the session.
    """
    secrets: List[SecretUse]
    no_intercept: List[str]
    """Patterns of names whose TLS is never opened"""
    preset: str
    """In requests: a name from `network.presets` of the configuration. Its rules come behind those given here, and
    are what is stored.
    """


class SessionConfig(TypedDict, total=False):
    """Session config."""

    timeout_seconds: int
    """Lifetime, counted from ready, up to `sessions.max_lifetime` of the configuration. Absent: the ttl of the
    template, else 300 unless `sandbox.runtime.timeout` says otherwise.
    """
    idle_timeout_seconds: Optional[int]
    """Without an execution, transfer or terminal. Absent: `sessions.idle_timeout` of the configuration, which is
    none.
    """
    allow_network: bool
    """true: everything that the template allows, which must have a network; false: nothing. Not together with
    `network`.
    """
    network: NetworkPolicy
    environment: Dict[str, str]
    resources: Resources


class TemplateBodySecurity(TypedDict, total=False):
    """A session whose backend cannot hold it is refused with 422 policy_unsupported: srt has no root but the
    host's. With `read_only_filesystem: false` the user may write in /, /etc, /opt, /var, /home and /srv, within
    the limit of the disk; snapshots do not hold it.
    """

    allow_network: bool
    allowed_domains: List[str]
    network: NetworkPolicy
    read_only_filesystem: bool


class TemplateBody(TypedDict, total=False):
    """Template body."""

    id: str
    """Required for a new one; in a replacement it may only be repeated."""
    name: str
    description: str
    backend: Optional[str]
    """null: that of the server"""
    image: str
    language: str
    resources: Resources
    security: TemplateBodySecurity
    """A session whose backend cannot hold it is refused with 422 policy_unsupported: srt has no root but the
    host's. With `read_only_filesystem: false` the user may write in /, /etc, /opt, /var, /home and /srv, within
    the limit of the disk; snapshots do not hold it.
    """
    env: Dict[str, str]
    preinstalled_packages: List[str]
    """Names with versions, as in `requests>=2,<3`: from `packages.index_url` of the configuration, read-only:
    wheels in /opt/packages, npm packages in /node_modules. For Python and JavaScript on the image `host` only.
    Without an index 422 no_package_index.
    """
    preload: List[str]
    """Modules that Python has loaded before it is asked for. With `IPython` among them contexts start faster, and
    programs slower.
    """
    pool: int
    """Sandboxes that wait"""
    ttl: Optional[int]
    """Lifetime of sessions in seconds"""
    policy: TemplateBodyPolicy


TemplateBodyPolicyT = TypeVar("TemplateBodyPolicyT", bound="TemplateBodyPolicy")


@dataclass(frozen=True)
class TemplateBodyPolicy(Model):
    """What happens to code of a level. `ask` and `deny` hold for the levels above, too, unless those are named. Of
    the policies of server, template and key the strictest applies.
    """

    low: Optional[str]
    medium: Optional[str]
    high: Optional[str]
    critical: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[TemplateBodyPolicyT], data: Mapping[str, Any]) -> TemplateBodyPolicyT:
        return cls(
            low=data.get("low"),
            medium=data.get("medium"),
            high=data.get("high"),
            critical=data.get("critical"),
            raw=data,
        )

SessionIsolationT = TypeVar("SessionIsolationT", bound="SessionIsolation")


@dataclass(frozen=True)
class SessionIsolation(Model):
    """Session isolation."""

    layers: List[str]
    missing: List[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionIsolationT], data: Mapping[str, Any]) -> SessionIsolationT:
        return cls(
            layers=data["layers"],
            missing=data["missing"],
            raw=data,
        )

SessionErrorT = TypeVar("SessionErrorT", bound="SessionError")


@dataclass(frozen=True)
class SessionError(Model):
    """Session error."""

    code: Optional[str]
    message: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionErrorT], data: Mapping[str, Any]) -> SessionErrorT:
        return cls(
            code=data.get("code"),
            message=data.get("message"),
            raw=data,
        )

SessionWorkspaceErrorT = TypeVar("SessionWorkspaceErrorT", bound="SessionWorkspaceError")


@dataclass(frozen=True)
class SessionWorkspaceError(Model):
    """Why the files of a session with a session_key were not saved on the host the last time that was tried:
    quota_exceeded, storage_full, too_large, … Absent when they were. The event workspace_not_saved tells when
    it appears.
    """

    code: str
    message: str
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionWorkspaceErrorT], data: Mapping[str, Any]) -> SessionWorkspaceErrorT:
        return cls(
            code=data["code"],
            message=data["message"],
            raw=data,
        )

SessionT = TypeVar("SessionT", bound="Session")


@dataclass(frozen=True)
class Session(Model):
    """Session."""

    id: str
    session_id: str
    """The same as id"""
    session_key: Optional[str]
    template_id: str
    runtime_node: str
    backend: str
    status: Union[SessionState, str]
    workspace: str
    """The folder of its files, as programs in the sandbox see it: /workspace; on srt, while there is a sandbox, a
    folder of its own. In requests /workspace names it on every backend.
    """
    config: SessionConfig
    labels: Dict[str, str]
    metadata: Dict[str, Any]
    isolation: SessionIsolation
    created_at: datetime
    updated_at: datetime
    expires_at: Optional[datetime]
    ended_at: Optional[datetime]
    error: Optional[SessionError]
    workspace_error: Optional[SessionWorkspaceError]
    """Why the files of a session with a session_key were not saved on the host the last time that was tried:
    quota_exceeded, storage_full, too_large, … Absent when they were. The event workspace_not_saved tells when
    it appears.
    """
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionT], data: Mapping[str, Any]) -> SessionT:
        return cls(
            id=data["id"],
            session_id=data["session_id"],
            session_key=data.get("session_key"),
            template_id=data["template_id"],
            runtime_node=data["runtime_node"],
            backend=data["backend"],
            status=SessionState.of(data["status"]),
            workspace=data["workspace"],
            config=data["config"],
            labels=data["labels"],
            metadata=data["metadata"],
            isolation=SessionIsolation.from_json(data["isolation"]),
            created_at=time_of(data["created_at"]),
            updated_at=time_of(data["updated_at"]),
            expires_at=None if data.get("expires_at") is None else time_of(data["expires_at"]),
            ended_at=None if data.get("ended_at") is None else time_of(data["ended_at"]),
            error=None if data.get("error") is None else SessionError.from_json(data["error"]),
            workspace_error=None
            if data.get("workspace_error") is None
            else SessionWorkspaceError.from_json(data["workspace_error"]),
            raw=data,
        )

ExecutionDataResultResultsItemT = TypeVar("ExecutionDataResultResultsItemT", bound="ExecutionDataResultResultsItem")


@dataclass(frozen=True)
class ExecutionDataResultResultsItem(Model):
    """Execution data result results item."""

    is_result: bool
    data: Dict[str, Any]
    """From MIME type to content"""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ExecutionDataResultResultsItemT], data: Mapping[str, Any]) -> ExecutionDataResultResultsItemT:
        return cls(
            is_result=data["is_result"],
            data=data["data"],
            raw=data,
        )

ExecutionDataResultT = TypeVar("ExecutionDataResultT", bound="ExecutionDataResult")


@dataclass(frozen=True)
class ExecutionDataResult(Model):
    """Of a context"""

    results: Optional[List[ExecutionDataResultResultsItem]]
    execution_count: Optional[int]
    restarted: Optional[bool]
    error: Optional[Dict[str, Any]]
    """What the code raised"""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ExecutionDataResultT], data: Mapping[str, Any]) -> ExecutionDataResultT:
        return cls(
            results=None
            if data.get("results") is None
            else items(data["results"], ExecutionDataResultResultsItem.from_json),
            execution_count=data.get("execution_count"),
            restarted=data.get("restarted"),
            error=data.get("error"),
            raw=data,
        )

ExecutionDataErrorT = TypeVar("ExecutionDataErrorT", bound="ExecutionDataError")


@dataclass(frozen=True)
class ExecutionDataError(Model):
    """Execution data error."""

    code: Optional[str]
    message: Optional[str]
    ename: Optional[str]
    evalue: Optional[str]
    traceback: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ExecutionDataErrorT], data: Mapping[str, Any]) -> ExecutionDataErrorT:
        return cls(
            code=data.get("code"),
            message=data.get("message"),
            ename=data.get("ename"),
            evalue=data.get("evalue"),
            traceback=data.get("traceback"),
            raw=data,
        )

ExecutionDataMetricsT = TypeVar("ExecutionDataMetricsT", bound="ExecutionDataMetrics")


@dataclass(frozen=True)
class ExecutionDataMetrics(Model):
    """Execution data metrics."""

    cpu_user_ms: int
    cpu_system_ms: int
    memory_peak_bytes: int
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ExecutionDataMetricsT], data: Mapping[str, Any]) -> ExecutionDataMetricsT:
        return cls(
            cpu_user_ms=data["cpu_user_ms"],
            cpu_system_ms=data["cpu_system_ms"],
            memory_peak_bytes=data["memory_peak_bytes"],
            raw=data,
        )

ExecutionDataFilesT = TypeVar("ExecutionDataFilesT", bound="ExecutionDataFiles")


@dataclass(frozen=True)
class ExecutionDataFiles(Model):
    """Execution data files."""

    created: Optional[List[str]]
    changed: Optional[List[str]]
    removed: Optional[List[str]]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ExecutionDataFilesT], data: Mapping[str, Any]) -> ExecutionDataFilesT:
        return cls(
            created=data.get("created"),
            changed=data.get("changed"),
            removed=data.get("removed"),
            raw=data,
        )

ExecutionDataT = TypeVar("ExecutionDataT", bound="ExecutionData")


@dataclass(frozen=True)
class ExecutionData(Model):
    """Execution data."""

    session_id: str
    execution_id: str
    state: Union[ExecutionState, str]
    exit_code: Optional[int]
    stdout: str
    """U+FFFD for bytes that are no UTF-8"""
    stdout_b64: Optional[str]
    """The exact bytes, where they differ."""
    stderr: str
    stderr_b64: Optional[str]
    output: str
    """Both, in order of arrival"""
    result: Optional[ExecutionDataResult]
    """Of a context"""
    success: bool
    error: Optional[ExecutionDataError]
    metrics: ExecutionDataMetrics
    duration_ms: int
    timed_out: bool
    truncated: bool
    files: Optional[ExecutionDataFiles]
    context: Optional[str]
    request: Optional[Dict[str, Any]]
    created_at: datetime
    started_at: Optional[datetime]
    ended_at: Optional[datetime]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ExecutionDataT], data: Mapping[str, Any]) -> ExecutionDataT:
        return cls(
            session_id=data["session_id"],
            execution_id=data["execution_id"],
            state=ExecutionState.of(data["state"]),
            exit_code=data.get("exit_code"),
            stdout=data.get("stdout") or "",
            stdout_b64=data.get("stdout_b64"),
            stderr=data.get("stderr") or "",
            stderr_b64=data.get("stderr_b64"),
            output=data.get("output") or "",
            result=None if data.get("result") is None else ExecutionDataResult.from_json(data["result"]),
            success=data["success"],
            error=None if data.get("error") is None else ExecutionDataError.from_json(data["error"]),
            metrics=ExecutionDataMetrics.from_json(data["metrics"]),
            duration_ms=data["duration_ms"],
            timed_out=data["timed_out"],
            truncated=data["truncated"],
            files=None if data.get("files") is None else ExecutionDataFiles.from_json(data["files"]),
            context=data.get("context"),
            request=data.get("request"),
            created_at=time_of(data["created_at"]),
            started_at=None if data.get("started_at") is None else time_of(data["started_at"]),
            ended_at=None if data.get("ended_at") is None else time_of(data["ended_at"]),
            raw=data,
        )

ContextInfoT = TypeVar("ContextInfoT", bound="ContextInfo")


@dataclass(frozen=True)
class ContextInfo(Model):
    """Context info."""

    id: str
    session_id: str
    language: str
    cwd: str
    version: str
    is_default: bool
    running: bool
    waiting: int
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ContextInfoT], data: Mapping[str, Any]) -> ContextInfoT:
        return cls(
            id=data["id"],
            session_id=data["session_id"],
            language=data["language"],
            cwd=data["cwd"],
            version=data["version"],
            is_default=data["is_default"],
            running=data["running"],
            waiting=data["waiting"],
            raw=data,
        )

UsageT = TypeVar("UsageT", bound="Usage")


@dataclass(frozen=True)
class Usage(Model):
    """Usage."""

    cpu_usage_percent: float
    memory_usage_mb: float
    memory_limit_mb: float
    network_rx_bytes: int
    network_tx_bytes: int
    pids_current: int
    disk_usage_mb: float
    alerts: List[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[UsageT], data: Mapping[str, Any]) -> UsageT:
        return cls(
            cpu_usage_percent=data["cpu_usage_percent"],
            memory_usage_mb=data["memory_usage_mb"],
            memory_limit_mb=data["memory_limit_mb"],
            network_rx_bytes=data["network_rx_bytes"],
            network_tx_bytes=data["network_tx_bytes"],
            pids_current=data["pids_current"],
            disk_usage_mb=data["disk_usage_mb"],
            alerts=data["alerts"],
            raw=data,
        )

ProcessT = TypeVar("ProcessT", bound="Process")


@dataclass(frozen=True)
class Process(Model):
    """Process."""

    pid: int
    parent: int
    state: str
    memory_bytes: int
    cpu_ms: int
    command: str
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ProcessT], data: Mapping[str, Any]) -> ProcessT:
        return cls(
            pid=data["pid"],
            parent=data["parent"],
            state=data["state"],
            memory_bytes=data["memory_bytes"],
            cpu_ms=data["cpu_ms"],
            command=data["command"],
            raw=data,
        )

FileInfoT = TypeVar("FileInfoT", bound="FileInfo")


@dataclass(frozen=True)
class FileInfo(Model):
    """File info."""

    name: str
    path: str
    """Relative to the workspace where it is below"""
    type: str
    size: int
    mode: str
    modified_at: datetime
    target: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[FileInfoT], data: Mapping[str, Any]) -> FileInfoT:
        return cls(
            name=data["name"],
            path=data["path"],
            type=data["type"],
            size=data["size"],
            mode=data["mode"],
            modified_at=time_of(data["modified_at"]),
            target=data.get("target"),
            raw=data,
        )

SnapshotT = TypeVar("SnapshotT", bound="Snapshot")


@dataclass(frozen=True)
class Snapshot(Model):
    """Snapshot."""

    id: str
    snapshot_id: str
    session_id: str
    name: str
    size: int
    created_at: datetime
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SnapshotT], data: Mapping[str, Any]) -> SnapshotT:
        return cls(
            id=data["id"],
            snapshot_id=data["snapshot_id"],
            session_id=data["session_id"],
            name=data["name"],
            size=data["size"],
            created_at=time_of(data["created_at"]),
            raw=data,
        )

TemplateSecurityT = TypeVar("TemplateSecurityT", bound="TemplateSecurity")


@dataclass(frozen=True)
class TemplateSecurity(Model):
    """A session whose backend cannot hold it is refused with 422 policy_unsupported: srt has no root but the
    host's. With `read_only_filesystem: false` the user may write in /, /etc, /opt, /var, /home and /srv, within
    the limit of the disk; snapshots do not hold it.
    """

    allow_network: Optional[bool]
    allowed_domains: Optional[List[str]]
    network: Optional[NetworkPolicy]
    read_only_filesystem: Optional[bool]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[TemplateSecurityT], data: Mapping[str, Any]) -> TemplateSecurityT:
        return cls(
            allow_network=data.get("allow_network"),
            allowed_domains=data.get("allowed_domains"),
            network=data.get("network"),
            read_only_filesystem=data.get("read_only_filesystem"),
            raw=data,
        )

TemplatePolicyT = TypeVar("TemplatePolicyT", bound="TemplatePolicy")


@dataclass(frozen=True)
class TemplatePolicy(Model):
    """What happens to code of a level. `ask` and `deny` hold for the levels above, too, unless those are named. Of
    the policies of server, template and key the strictest applies.
    """

    low: Optional[str]
    medium: Optional[str]
    high: Optional[str]
    critical: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[TemplatePolicyT], data: Mapping[str, Any]) -> TemplatePolicyT:
        return cls(
            low=data.get("low"),
            medium=data.get("medium"),
            high=data.get("high"),
            critical=data.get("critical"),
            raw=data,
        )

TemplateT = TypeVar("TemplateT", bound="Template")


@dataclass(frozen=True)
class Template(Model):
    """Template."""

    id: str
    """Required for a new one; in a replacement it may only be repeated."""
    name: str
    description: Optional[str]
    backend: Optional[str]
    """null: that of the server"""
    image: str
    language: Optional[str]
    resources: Resources
    security: TemplateSecurity
    """A session whose backend cannot hold it is refused with 422 policy_unsupported: srt has no root but the
    host's. With `read_only_filesystem: false` the user may write in /, /etc, /opt, /var, /home and /srv, within
    the limit of the disk; snapshots do not hold it.
    """
    env: Dict[str, str]
    preinstalled_packages: List[str]
    """Names with versions, as in `requests>=2,<3`: from `packages.index_url` of the configuration, read-only:
    wheels in /opt/packages, npm packages in /node_modules. For Python and JavaScript on the image `host` only.
    Without an index 422 no_package_index.
    """
    preload: List[str]
    """Modules that Python has loaded before it is asked for. With `IPython` among them contexts start faster, and
    programs slower.
    """
    pool: int
    """Sandboxes that wait"""
    ttl: Optional[int]
    """Lifetime of sessions in seconds"""
    policy: TemplatePolicy
    tenant: Optional[str]
    """That alone sees it; null: the server's."""
    built_in: bool
    version: int
    created_at: datetime
    updated_at: datetime
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[TemplateT], data: Mapping[str, Any]) -> TemplateT:
        return cls(
            id=data["id"],
            name=data["name"],
            description=data.get("description"),
            backend=data.get("backend"),
            image=data["image"],
            language=data.get("language"),
            resources=data["resources"],
            security=TemplateSecurity.from_json(data["security"]),
            env=data["env"],
            preinstalled_packages=data["preinstalled_packages"],
            preload=data["preload"],
            pool=data["pool"],
            ttl=data.get("ttl"),
            policy=TemplatePolicy.from_json(data["policy"]),
            tenant=data.get("tenant"),
            built_in=data["built_in"],
            version=data["version"],
            created_at=time_of(data["created_at"]),
            updated_at=time_of(data["updated_at"]),
            raw=data,
        )

SessionNetworkFiguresOpenItemT = TypeVar("SessionNetworkFiguresOpenItemT", bound="SessionNetworkFiguresOpenItem")


@dataclass(frozen=True)
class SessionNetworkFiguresOpenItem(Model):
    """Session network figures open item."""

    host: str
    """A name or an address"""
    port: int
    rx_bytes: int
    """From the outside"""
    tx_bytes: int
    since: datetime
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionNetworkFiguresOpenItemT], data: Mapping[str, Any]) -> SessionNetworkFiguresOpenItemT:
        return cls(
            host=data["host"],
            port=data["port"],
            rx_bytes=data["rx_bytes"],
            tx_bytes=data["tx_bytes"],
            since=time_of(data["since"]),
            raw=data,
        )

SessionNetworkFiguresRefusedItemT = TypeVar("SessionNetworkFiguresRefusedItemT", bound="SessionNetworkFiguresRefusedItem")


@dataclass(frozen=True)
class SessionNetworkFiguresRefusedItem(Model):
    """Session network figures refused item."""

    host: str
    """A name or an address"""
    port: int
    """0: the name was asked for"""
    reason: str
    """name_denied, port_denied, address_denied, not_public, name_mismatch, dial_failed, …"""
    detail: str
    at: datetime
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionNetworkFiguresRefusedItemT], data: Mapping[str, Any]) -> SessionNetworkFiguresRefusedItemT:
        return cls(
            host=data["host"],
            port=data["port"],
            reason=data["reason"],
            detail=data["detail"],
            at=time_of(data["at"]),
            raw=data,
        )

SessionNetworkFiguresT = TypeVar("SessionNetworkFiguresT", bound="SessionNetworkFigures")


@dataclass(frozen=True)
class SessionNetworkFigures(Model):
    """null where nobody counts: on backends without ordered rules."""

    connections: int
    """Open"""
    connections_total: int
    rx_bytes: int
    """From the outside"""
    tx_bytes: int
    refused_total: int
    open: List[SessionNetworkFiguresOpenItem]
    refused: List[SessionNetworkFiguresRefusedItem]
    """The last 20"""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionNetworkFiguresT], data: Mapping[str, Any]) -> SessionNetworkFiguresT:
        return cls(
            connections=data["connections"],
            connections_total=data["connections_total"],
            rx_bytes=data["rx_bytes"],
            tx_bytes=data["tx_bytes"],
            refused_total=data["refused_total"],
            open=items(data["open"], SessionNetworkFiguresOpenItem.from_json),
            refused=items(data["refused"], SessionNetworkFiguresRefusedItem.from_json),
            raw=data,
        )

SessionNetworkT = TypeVar("SessionNetworkT", bound="SessionNetwork")


@dataclass(frozen=True)
class SessionNetwork(Model):
    """Session network."""

    session_id: str
    policy: NetworkPolicy
    figures: Optional[SessionNetworkFigures]
    """null where nobody counts: on backends without ordered rules."""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionNetworkT], data: Mapping[str, Any]) -> SessionNetworkT:
        return cls(
            session_id=data["session_id"],
            policy=data["policy"],
            figures=None if data.get("figures") is None else SessionNetworkFigures.from_json(data["figures"]),
            raw=data,
        )

SecretT = TypeVar("SecretT", bound="Secret")


@dataclass(frozen=True)
class Secret(Model):
    """Secret."""

    name: str
    created_at: datetime
    updated_at: datetime
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SecretT], data: Mapping[str, Any]) -> SecretT:
        return cls(
            name=data["name"],
            created_at=time_of(data["created_at"]),
            updated_at=time_of(data["updated_at"]),
            raw=data,
        )

RuntimeResourcesT = TypeVar("RuntimeResourcesT", bound="RuntimeResources")


@dataclass(frozen=True)
class RuntimeResources(Model):
    """Runtime resources."""

    cpu_total: float
    cpu_used: float
    memory_total: int
    """MB"""
    memory_used: int
    """MB, without the page cache"""
    session_count: int
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[RuntimeResourcesT], data: Mapping[str, Any]) -> RuntimeResourcesT:
        return cls(
            cpu_total=data["cpu_total"],
            cpu_used=data["cpu_used"],
            memory_total=data["memory_total"],
            memory_used=data["memory_used"],
            session_count=data["session_count"],
            raw=data,
        )

RuntimeT = TypeVar("RuntimeT", bound="Runtime")


@dataclass(frozen=True)
class Runtime(Model):
    """Runtime."""

    id: str
    type: str
    endpoint: str
    capabilities: List[str]
    resources: RuntimeResources
    health: Union[RuntimeHealth, str]
    last_heartbeat: datetime
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[RuntimeT], data: Mapping[str, Any]) -> RuntimeT:
        return cls(
            id=data["id"],
            type=data["type"],
            endpoint=data["endpoint"],
            capabilities=data["capabilities"],
            resources=RuntimeResources.from_json(data["resources"]),
            health=RuntimeHealth.of(data["health"]),
            last_heartbeat=time_of(data["last_heartbeat"]),
            raw=data,
        )

ApiKeyPolicyT = TypeVar("ApiKeyPolicyT", bound="ApiKeyPolicy")


@dataclass(frozen=True)
class ApiKeyPolicy(Model):
    """What happens to code of a level. `ask` and `deny` hold for the levels above, too, unless those are named. Of
    the policies of server, template and key the strictest applies.
    """

    low: Optional[str]
    medium: Optional[str]
    high: Optional[str]
    critical: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ApiKeyPolicyT], data: Mapping[str, Any]) -> ApiKeyPolicyT:
        return cls(
            low=data.get("low"),
            medium=data.get("medium"),
            high=data.get("high"),
            critical=data.get("critical"),
            raw=data,
        )

ApiKeyT = TypeVar("ApiKeyT", bound="ApiKey")


@dataclass(frozen=True)
class ApiKey(Model):
    """Api key."""

    id: str
    tenant: str
    role: Union[Role, str]
    name: str
    created_at: datetime
    revoked_at: Optional[datetime]
    policy: ApiKeyPolicy
    secret: Optional[str]
    """Only in the answer that made it"""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ApiKeyT], data: Mapping[str, Any]) -> ApiKeyT:
        return cls(
            id=data["id"],
            tenant=data["tenant"],
            role=Role.of(data["role"]),
            name=data["name"],
            created_at=time_of(data["created_at"]),
            revoked_at=None if data.get("revoked_at") is None else time_of(data["revoked_at"]),
            policy=ApiKeyPolicy.from_json(data["policy"]),
            secret=data.get("secret"),
            raw=data,
        )

AuditEntryT = TypeVar("AuditEntryT", bound="AuditEntry")


@dataclass(frozen=True)
class AuditEntry(Model):
    """Audit entry."""

    id: str
    """Later rows have larger ids."""
    time: datetime
    tenant: str
    key_id: Optional[str]
    """Whose request it was; null without keys and for the command line."""
    action: Union[AuditAction, str]
    outcome: str
    """`ok`, or the `code` with which it was refused."""
    session_id: Optional[str]
    execution_id: Optional[str]
    trace_id: Optional[str]
    request_id: Optional[str]
    result: Optional[Dict[str, Any]]
    """Of execution_ended: state, exit_code, duration_ms, stdout_bytes, stderr_bytes, truncated; null otherwise."""
    chain: Optional[str]
    """The server that wrote it; null for rows of old versions."""
    seq: Optional[int]
    """Its place in the chain, from 1."""
    hash: Optional[str]
    """SHA-256 over the hash before it and the row; docs/operations.md has the form."""
    detail: str
    """The language of code or the program that a command begins with; the path of a file; the id of a template,
    snapshot or key; what of a session was changed. Never code, arguments, values of variables, contents or
    secrets.
    """
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[AuditEntryT], data: Mapping[str, Any]) -> AuditEntryT:
        return cls(
            id=data["id"],
            time=time_of(data["time"]),
            tenant=data["tenant"],
            key_id=data.get("key_id"),
            action=AuditAction.of(data["action"]),
            outcome=data["outcome"],
            session_id=data.get("session_id"),
            execution_id=data.get("execution_id"),
            trace_id=data.get("trace_id"),
            request_id=data.get("request_id"),
            result=data.get("result"),
            chain=data.get("chain"),
            seq=data.get("seq"),
            hash=data.get("hash"),
            detail=data["detail"],
            raw=data,
        )

FindingT = TypeVar("FindingT", bound="Finding")


@dataclass(frozen=True)
class Finding(Model):
    """Finding."""

    rule: str
    level: Union[RiskLevel, str]
    line: int
    column: int
    """In bytes."""
    snippet: str
    """At most 120 bytes of one line."""
    message: str
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[FindingT], data: Mapping[str, Any]) -> FindingT:
        return cls(
            rule=data["rule"],
            level=RiskLevel.of(data["level"]),
            line=data["line"],
            column=data["column"],
            snippet=data["snippet"],
            message=data["message"],
            raw=data,
        )

JudgementT = TypeVar("JudgementT", bound="Judgement")


@dataclass(frozen=True)
class Judgement(Model):
    """Judgement."""

    level: Union[RiskLevel, str]
    findings: List[Finding]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[JudgementT], data: Mapping[str, Any]) -> JudgementT:
        return cls(
            level=RiskLevel.of(data["level"]),
            findings=items(data["findings"], Finding.from_json),
            raw=data,
        )

DiagnosedExecutionT = TypeVar("DiagnosedExecutionT", bound="DiagnosedExecution")


@dataclass(frozen=True)
class DiagnosedExecution(Model):
    """Diagnosed execution."""

    execution_id: str
    state: Union[ExecutionState, str]
    exit_code: Optional[int]
    error_code: Optional[str]
    error_message: Optional[str]
    created_at: datetime
    ended_at: Optional[datetime]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[DiagnosedExecutionT], data: Mapping[str, Any]) -> DiagnosedExecutionT:
        return cls(
            execution_id=data["execution_id"],
            state=ExecutionState.of(data["state"]),
            exit_code=data.get("exit_code"),
            error_code=data.get("error_code"),
            error_message=data.get("error_message"),
            created_at=time_of(data["created_at"]),
            ended_at=None if data.get("ended_at") is None else time_of(data["ended_at"]),
            raw=data,
        )

DiagnosticsT = TypeVar("DiagnosticsT", bound="Diagnostics")


@dataclass(frozen=True)
class Diagnostics(Model):
    """Diagnostics."""

    session_id: str
    status: Union[SessionState, str]
    error_code: Optional[str]
    """Why it failed."""
    error_message: Optional[str]
    ended_at: Optional[datetime]
    executions: List[DiagnosedExecution]
    """The last 20, the oldest first."""
    events: List[AuditEntry]
    """The last 100, the oldest first."""
    log: str
    """The last 64 KiB of what its programs printed, each behind a line with its id and its end."""
    log_truncated: bool
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[DiagnosticsT], data: Mapping[str, Any]) -> DiagnosticsT:
        return cls(
            session_id=data["session_id"],
            status=SessionState.of(data["status"]),
            error_code=data.get("error_code"),
            error_message=data.get("error_message"),
            ended_at=None if data.get("ended_at") is None else time_of(data["ended_at"]),
            executions=items(data["executions"], DiagnosedExecution.from_json),
            events=items(data["events"], AuditEntry.from_json),
            log=data["log"],
            log_truncated=data["log_truncated"],
            raw=data,
        )

SessionStatusT = TypeVar("SessionStatusT", bound="SessionStatus")


@dataclass(frozen=True)
class SessionStatus(Model):
    """Session status."""

    session_id: str
    status: Union[SessionState, str]
    running: List[str]
    """Ids of executions"""
    last_execution: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[SessionStatusT], data: Mapping[str, Any]) -> SessionStatusT:
        return cls(
            session_id=data["session_id"],
            status=SessionState.of(data["status"]),
            running=data["running"],
            last_execution=data.get("last_execution"),
            raw=data,
        )

PreviewT = TypeVar("PreviewT", bound="Preview")


@dataclass(frozen=True)
class Preview(Model):
    """Preview."""

    token: str
    expires_at: datetime
    urls: List[str]
    """To open in a browser: below the configured domain, if there is one, and below localhost."""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[PreviewT], data: Mapping[str, Any]) -> PreviewT:
        return cls(
            token=data["token"],
            expires_at=time_of(data["expires_at"]),
            urls=data["urls"],
            raw=data,
        )

BackendsBackendsItemT = TypeVar("BackendsBackendsItemT", bound="BackendsBackendsItem")


@dataclass(frozen=True)
class BackendsBackendsItem(Model):
    """Backends backends item."""

    name: str
    status: str
    isolation: str
    capabilities: List[str]
    available: bool
    reason: Optional[str]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[BackendsBackendsItemT], data: Mapping[str, Any]) -> BackendsBackendsItemT:
        return cls(
            name=data["name"],
            status=data["status"],
            isolation=data["isolation"],
            capabilities=data["capabilities"],
            available=data["available"],
            reason=data.get("reason"),
            raw=data,
        )

BackendsT = TypeVar("BackendsT", bound="Backends")


@dataclass(frozen=True)
class Backends(Model):
    """Backends."""

    default: str
    backends: List[BackendsBackendsItem]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[BackendsT], data: Mapping[str, Any]) -> BackendsT:
        return cls(
            default=data["default"],
            backends=items(data["backends"], BackendsBackendsItem.from_json),
            raw=data,
        )

ReadyT = TypeVar("ReadyT", bound="Ready")


@dataclass(frozen=True)
class Ready(Model):
    """Ready."""

    status: str
    recovering: int
    """Sessions of the last server that this one has not found again yet; requests to them wait, for at most 30
    seconds.
    """
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The answer as it came, with fields that this version does not know."""

    @classmethod
    def from_json(cls: Type[ReadyT], data: Mapping[str, Any]) -> ReadyT:
        return cls(
            status=data["status"],
            recovering=data["recovering"],
            raw=data,
        )
