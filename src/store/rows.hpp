// The columns of every table, in one place for writing and reading. The order here is the order in
// statements; migrations/ has the same names.
#pragma once

#include "model/approval.hpp"
#include "model/execution.hpp"
#include "model/key.hpp"
#include "model/secret.hpp"
#include "model/session.hpp"
#include "model/template.hpp"
#include "model/tenant.hpp"
#include "store/columns.hpp"
#include "store/sealed_columns.hpp"
#include "store/store.hpp"

namespace atl::store {

// Which table a row type lives in, and what makes a row unique.
template <typename T>
struct TableOf;
template <>
struct TableOf<model::Session> {
  static constexpr const char* kName = "sessions";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<model::Execution> {
  static constexpr const char* kName = "executions";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<model::Template> {
  static constexpr const char* kName = "templates";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<model::Key> {
  static constexpr const char* kName = "api_keys";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<ContextRow> {
  static constexpr const char* kName = "contexts";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<SnapshotRow> {
  static constexpr const char* kName = "snapshots";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<IdempotencyRow> {
  static constexpr const char* kName = "idempotency";
  static constexpr const char* kKey = "tenant, idempotency_key";
};

template <>
struct TableOf<model::Tenant> {
  static constexpr const char* kName = "tenants";
  static constexpr const char* kKey = "id";
};
template <>
struct TableOf<model::Secret> {
  static constexpr const char* kName = "secrets";
  static constexpr const char* kKey = "tenant, name";
};
// The same rows without their values.
template <>
struct TableOf<model::SecretInfo> : TableOf<model::Secret> {};

template <>
struct TableOf<model::Approval> {
  static constexpr const char* kName = "approvals";
  static constexpr const char* kKey = "id";
};
// The same rows without what would run.
template <>
struct TableOf<model::ApprovalInfo> : TableOf<model::Approval> {};

template <>
struct TableOf<AuditRow> {
  static constexpr const char* kName = "audit";
  static constexpr const char* kKey = "tenant, id";
};

void columns(auto& visit, model::Session& row) {
  visit("id", row.id);
  visit("tenant", row.tenant);
  visit("key_id", row.key_id);
  visit("session_key", row.session_key);
  visit("template_id", row.template_id);
  visit("runtime_node", row.runtime_node);
  visit("backend", row.backend);
  visit("sandbox_id", row.sandbox_id);
  visit("state", row.state);
  visit("config", WithoutSecrets(row.config));
  visit("environment", AsSecret(row.config.environment, "sessions", row.id.str()));
  visit("network", AsSealedJson(row.config.network, network_place("sessions", row.id.str())));
  visit("labels", row.labels);
  visit("metadata", row.metadata_json);
  visit("isolation_layers", row.isolation_layers);
  visit("isolation_missing", row.isolation_missing);
  visit("created_at", row.created_at);
  visit("updated_at", row.updated_at);
  visit("ready_at", row.ready_at);
  visit("expires_at", row.expires_at);
  visit("ended_at", row.ended_at);
  visit("error_code", row.error_code);
  visit("error_message", AsProse(row.error_message));
  visit("snapshot_id", row.snapshot_id);
  visit("one_shot", row.one_shot);
}

// Without the output, which has a table of its own.
void columns(auto& visit, model::Execution& row) {
  visit("id", row.id);
  visit("session_id", row.session_id);
  visit("tenant", row.tenant);
  visit("state", row.state);
  visit("request_json", AsProse(row.request_json));
  visit("context_id", row.context_id);
  visit("exec_id", row.exec_id);
  visit("exit_code", row.exit_code);
  visit("truncated", row.truncated);
  visit("result_json", AsProse(row.result_json));
  visit("files_json", AsProse(row.files_json));
  visit("error_code", row.error_code);
  visit("error_message", AsProse(row.error_message));
  visit("cpu_user_ms", row.metrics.cpu_user_ms);
  visit("cpu_system_ms", row.metrics.cpu_system_ms);
  visit("memory_peak_bytes", row.metrics.memory_peak_bytes);
  visit("created_at", row.created_at);
  visit("started_at", row.started_at);
  visit("ended_at", row.ended_at);
  visit("duration_ms", row.duration_ms);
}

void columns(auto& visit, model::Template& row) {
  visit("id", row.id);
  visit("tenant", row.tenant);
  visit("spec", WithoutSecrets(row.spec));
  visit("environment", AsSecret(row.spec.env, "templates", row.id));
  visit("network", AsSealedJson(row.spec.security.network, network_place("templates", row.id)));
  visit("built_in", row.built_in);
  visit("version", row.version);
  visit("created_at", row.created_at);
  visit("updated_at", row.updated_at);
}

void columns(auto& visit, model::Key& row) {
  visit("id", row.id);
  visit("tenant", row.tenant);
  visit("role", row.role);
  visit("name", row.name);
  visit("secret_hash", row.secret_hash);
  visit("created_at", row.created_at);
  visit("revoked_at", row.revoked_at);
  visit("policy", row.policy);
}

void columns(auto& visit, model::Tenant& row) {
  visit("id", row.id);
  visit("quotas", row.quotas);
  visit("day", row.day);
  visit("day_executions", row.day_executions);
  visit("updated_at", row.updated_at);
}

void columns(auto& visit, ContextRow& row) {
  visit("id", row.id);
  visit("session_id", row.session_id);
  visit("language", row.language);
  visit("cwd", AsBytes(row.cwd));
  visit("is_default", row.is_default);
  visit("exec_id", row.exec_id);
  visit("created_at", row.created_at);
}

void columns(auto& visit, SnapshotRow& row) {
  visit("id", row.id);
  visit("session_id", row.session_id);
  visit("tenant", row.tenant);
  visit("name", row.name);
  visit("size", row.size);
  visit("file", row.file);
  visit("created_at", row.created_at);
}

void columns(auto& visit, IdempotencyRow& row) {
  visit("tenant", row.tenant);
  visit("idempotency_key", row.key);
  visit("fingerprint", row.fingerprint);
  visit("kind", row.made.kind);
  visit("made", row.made.id);
  visit("state", row.made.state);
  visit("created_at", row.created_at);
}

void columns(auto& visit, model::SecretInfo& row) {
  visit("tenant", row.tenant);
  visit("name", row.name);
  visit("created_at", row.created_at);
  visit("updated_at", row.updated_at);
}

void columns(auto& visit, model::Secret& row) {
  columns(visit, static_cast<model::SecretInfo&>(row));
  visit("value", AsSealed(row.value, secret_place(row.tenant, row.name)));
}

void columns(auto& visit, model::ApprovalInfo& row) {
  visit("id", row.id);
  visit("session_id", row.session_id);
  visit("tenant", row.tenant);
  visit("key_id", row.key_id);
  visit("state", row.state);
  visit("level", row.level);
  visit("findings", AsProse(row.findings_json));
  visit("shown", AsProse(row.shown_json));
  visit("content_hash", row.content_hash);
  visit("ends_session", row.ends_session);
  visit("created_at", row.created_at);
  visit("expires_at", row.expires_at);
  visit("decided_at", row.decided_at);
  visit("decided_by", row.decided_by);
  visit("reason", AsProse(row.reason));
  visit("remembered_until", row.remembered_until);
}

void columns(auto& visit, model::Approval& row) {
  columns(visit, static_cast<model::ApprovalInfo&>(row));
  visit("request", AsSealedJson(row.request_json, approval_place(row.id.str())));
}

void columns(auto& visit, AuditRow& row) {
  visit("tenant", row.tenant);
  visit("id", row.id);
  visit("time", row.time);
  visit("key_id", row.key_id);
  visit("action", row.action);
  visit("outcome", row.outcome);
  visit("session_id", row.session_id);
  visit("execution_id", row.execution_id);
  visit("trace_id", row.trace_id);
  visit("request_id", row.request_id);
  visit("detail", AsProse(row.detail));
  visit("result", row.result);
  visit("chain", row.chain);
  visit("seq", row.seq);
  visit("hash", row.hash);
}

}  // namespace atl::store
