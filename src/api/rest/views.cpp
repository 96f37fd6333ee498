#include "api/rest/views.hpp"

#include <utility>

#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "base/utf8.hpp"
#include "codec/base64.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

namespace {

using bodies::Nullable;

Nullable<std::string> time_or_null(const std::optional<model::Time>& time) {
  if (!time) return {};
  return rfc3339(*time);
}

boost::json::value parsed_or_null(std::string_view text) {
  if (text.empty()) return nullptr;
  auto value = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = 128});
  return value ? std::move(*value) : boost::json::value();
}

// The exact bytes of a stream whose text is not them.
std::optional<std::string> coded(std::string_view bytes) {
  if (is_utf8(bytes)) return std::nullopt;
  return codec::base64(bytes);
}

// What the code of a context raised, as its driver said it.
std::optional<std::string> raised(const boost::json::value& result, std::string_view name) {
  const object* members = result.if_object();
  const boost::json::value* error = members != nullptr ? members->if_contains("error") : nullptr;
  if (error == nullptr || !error->is_object()) return std::nullopt;
  const boost::json::value* found = error->get_object().if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string().data(), found->get_string().size());
}

}  // namespace

Nullable<std::string> text_or_null(std::string text) {
  if (text.empty()) return {};
  return text;
}

boost::json::string json_text(std::string_view bytes) {
  if (is_utf8(bytes)) return boost::json::string(bytes.data(), bytes.size());
  std::string text = to_utf8(bytes);
  return boost::json::string(text.data(), text.size());
}

bodies::SessionBody session_view(const model::Session& session) {
  const model::SessionConfig& config = session.config;
  bodies::SessionBody view{
      .id = session.id.str(),
      .session_id = session.id.str(),
      .session_key = text_or_null(session.session_key),
      .template_id = session.template_id,
      .runtime_node = session.runtime_node,
      .backend = session.backend,
      .status = session.state,
      .workspace = session.workspace,
      .config = {.timeout_seconds = config.timeout_seconds,
                 .idle_timeout_seconds = config.idle_timeout_seconds,
                 .allow_network = config.allow_network,
                 .environment = config.environment,
                 .resources = config.resources},
      .labels = session.labels,
      .metadata = parsed_or_null(session.metadata_json),
      .isolation = {.layers = session.isolation_layers, .missing = session.isolation_missing},
      .created_at = rfc3339(session.created_at),
      .updated_at = rfc3339(session.updated_at),
      .expires_at = time_or_null(session.expires_at),
      .ended_at = time_or_null(session.ended_at),
      .error = {},
      .workspace_error = {}};
  if (!session.error_code.empty()) {
    // The error of a session that has not failed: its files could not be copied to the host.
    bool has_failed = session.state == model::SessionState::kFailed;
    (has_failed ? view.error : view.workspace_error) = {.code = session.error_code,
                                                        .message = session.error_message};
  }
  return view;
}

Nullable<bodies::ExecutionErrorBody> execution_error(const model::Execution& execution) {
  if (execution.error_code.empty()) return {};
  boost::json::value result = parsed_or_null(execution.result_json);
  return bodies::ExecutionErrorBody{.code = execution.error_code,
                                    .message = execution.error_message,
                                    .ename = raised(result, "ename"),
                                    .evalue = raised(result, "evalue"),
                                    .traceback = raised(result, "traceback")};
}

bodies::ExecutionBody execution_view(const model::Execution& execution, bool with_output) {
  const model::ExecutionMetrics& used = execution.metrics;
  bodies::ExecutionBody view;
  view.session_id = execution.session_id.str();
  view.execution_id = execution.id.str();
  view.state = execution.state;
  view.exit_code = execution.exit_code;
  if (with_output) {
    view.stdout_ = execution.output.stdout_bytes;
    view.stdout_b64 = coded(execution.output.stdout_bytes);
    view.stderr_ = execution.output.stderr_bytes;
    view.stderr_b64 = coded(execution.output.stderr_bytes);
    view.output = execution.output.merged;
  }
  view.result = parsed_or_null(execution.result_json);
  view.success = execution.state == model::ExecutionState::kCompleted;
  view.error = execution_error(execution);
  view.metrics = {.cpu_user_ms = used.cpu_user_ms,
                  .cpu_system_ms = used.cpu_system_ms,
                  .memory_peak_bytes = used.memory_peak_bytes};
  view.duration_ms = execution.duration_ms;
  view.timed_out = execution.state == model::ExecutionState::kTimedOut;
  view.truncated = execution.truncated;
  if (!execution.files_json.empty()) view.files = parsed_or_null(execution.files_json);
  view.context = text_or_null(execution.context_id.str());
  view.request = parsed_or_null(execution.request_json);
  view.created_at = rfc3339(execution.created_at);
  view.started_at = time_or_null(execution.started_at);
  view.ended_at = time_or_null(execution.ended_at);
  return view;
}

bodies::ContextBody context_view(const control::ContextView& context, const SessionId& session_id) {
  return {.id = context.id.str(),
          .session_id = session_id.str(),
          .language = context.language,
          .cwd = context.cwd,
          .version = context.version,
          .is_default = context.is_default,
          .running = context.running,
          .waiting = context.waiting};
}

bodies::TemplateBody template_view(const model::Template& origin) {
  const model::TemplateSpec& spec = origin.spec;
  return {.id = origin.id,
          .tenant = text_or_null(origin.tenant),
          .name = spec.name,
          .description = spec.description,
          .backend = spec.backend,
          .image = spec.image,
          .language = spec.language,
          .resources = spec.resources,
          .security = spec.security,
          .env = spec.env,
          .preinstalled_packages = spec.preinstalled_packages,
          .preload = spec.preload,
          .pool = spec.pool,
          .ttl = spec.ttl,
          .built_in = origin.built_in,
          .version = origin.version,
          .created_at = rfc3339(origin.created_at),
          .updated_at = rfc3339(origin.updated_at)};
}

bodies::KeyBody key_view(const model::Key& key) {
  return {.id = key.id,
          .tenant = key.tenant,
          .role = role_name(key.role),
          .name = key.name,
          .created_at = rfc3339(key.created_at),
          .revoked_at = time_or_null(key.revoked_at),
          .secret = {}};
}

bodies::SnapshotBody snapshot_view(const model::Snapshot& snapshot) {
  return {.id = snapshot.id,
          .snapshot_id = snapshot.id,
          .session_id = snapshot.session_id.str(),
          .name = snapshot.name,
          .size = snapshot.size,
          .created_at = rfc3339(snapshot.created_at)};
}

bodies::AuditRowBody audit_view(const model::AuditRow& row) {
  return {.id = row.id,
          .time = rfc3339(row.time),
          .tenant = row.tenant,
          .key_id = text_or_null(row.key_id),
          .action = row.action,
          .outcome = row.outcome,
          .session_id = text_or_null(row.session_id.str()),
          .execution_id = text_or_null(row.execution_id.str()),
          .trace_id = text_or_null(row.trace_id),
          .request_id = text_or_null(row.request_id),
          .detail = row.detail};
}

bodies::UsageBody usage_view(const control::SessionUsage& usage) {
  return {.cpu_usage_percent = usage.cpu_usage_percent,
          .memory_usage_mb = usage.memory_usage_mb,
          .memory_limit_mb = usage.memory_limit_mb,
          .network_rx_bytes = usage.network_rx_bytes,
          .network_tx_bytes = usage.network_tx_bytes,
          .pids_current = usage.pids_current,
          .disk_usage_mb = usage.disk_usage_mb,
          .alerts = usage.alerts};
}

std::string octal_mode(std::uint32_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", mode & 07777u);
  return text;
}

bodies::FileBody file_view(const model::File& file) {
  static constexpr const char* kKinds[] = {"other", "file", "directory", "symlink"};
  std::chrono::milliseconds since(file.mtime_ns / 1'000'000);
  bodies::FileBody view{.name = file.path.substr(file.path.rfind('/') + 1),
                        .path = file.path,
                        .type = kKinds[static_cast<std::size_t>(file.kind)],
                        .size = file.size,
                        .mode = octal_mode(file.mode),
                        .modified_at = rfc3339(model::Time(since)),
                        .target = {}};
  if (!file.target.empty()) view.target = file.target;
  return view;
}

bodies::ProcessBody process_view(const model::Process& process) {
  return {.pid = process.pid,
          .parent = process.parent,
          .state = std::string(1, process.state),
          .memory_bytes = process.memory_bytes,
          .cpu_ms = process.cpu_ms,
          .command = process.command};
}

bodies::LifeEventBody event_view(const control::LifeEvent& event) {
  bodies::LifeEventBody view{.event = event.event,
                             .session_id = event.session_id,
                             .status = event.status,
                             .timestamp = rfc3339(event.time),
                             .execution_id = {}};
  if (!event.execution_id.empty()) view.execution_id = event.execution_id;
  return view;
}

}  // namespace atl::api::rest
