#include "api/rest/views.hpp"

#include <utility>

#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/network_bodies.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

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

namespace {

bodies::TemplateSecurityBody security_view(const model::TemplateSecurity& security) {
  bodies::TemplateSecurityBody view{.allow_network = security.allow_network,
                                    .allowed_domains = security.allowed_domains,
                                    .network = {},
                                    .read_only_filesystem = security.read_only_filesystem};
  if (security.network) view.network = policy_view(*security.network);
  return view;
}

}  // namespace

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
          .security = security_view(spec.security),
          .env = spec.env,
          .preinstalled_packages = spec.preinstalled_packages,
          .preload = spec.preload,
          .pool = spec.pool,
          .ttl = spec.ttl,
          .policy = spec.policy.value_or(model::RiskPolicy()),
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
          .policy = key.policy,
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
  return {
      .id = row.id,
      .time = rfc3339(row.time),
      .tenant = row.tenant,
      .key_id = text_or_null(row.key_id),
      .action = row.action,
      .outcome = row.outcome,
      .session_id = text_or_null(row.session_id.str()),
      .execution_id = text_or_null(row.execution_id.str()),
      .trace_id = text_or_null(row.trace_id),
      .request_id = text_or_null(row.request_id),
      .detail = row.detail,
      .result = parsed_or_null(row.result),
      .chain = text_or_null(row.chain),
      .seq = row.seq ? bodies::Nullable<std::int64_t>(*row.seq) : bodies::Nullable<std::int64_t>(),
      .hash = text_or_null(row.hash)};
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
                             .execution_id = {},
                             .host = {},
                             .port = {},
                             .reason = {},
                             .path = {},
                             .change = {}};
  if (!event.host.empty()) {
    view.host = event.host;
    view.port = event.port;
    view.reason = event.reason;
  }
  if (!event.path.empty()) {
    view.path = to_utf8(event.path);
    view.change = event.change;
  }
  if (!event.execution_id.empty()) view.execution_id = event.execution_id;
  return view;
}

}  // namespace atl::api::rest
