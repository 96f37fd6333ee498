#include "server/settings.hpp"

#include <cstdlib>
#include <utility>

namespace atl::server {
namespace {

control::Mode mode_of(const config::Config& config) {
  bool off = !config.sandbox.enabled || config.sandbox.mode == config::SandboxMode::kDisabled;
  if (off) return control::Mode::kDisabled;
  bool shared = config.sandbox.mode == config::SandboxMode::kShared;
  return shared ? control::Mode::kShared : control::Mode::kPerSession;
}

std::chrono::seconds seconds(std::uint64_t count) { return std::chrono::seconds(count); }

std::optional<model::RiskAction> action_of(config::LevelAction action) {
  switch (action) {
    case config::LevelAction::kDefault: return std::nullopt;
    case config::LevelAction::kAllow: return model::RiskAction::kAllow;
    case config::LevelAction::kAsk: return model::RiskAction::kAsk;
    case config::LevelAction::kDeny: return model::RiskAction::kDeny;
  }
  return std::nullopt;
}

node::SpaceFloor floor_of(const config::Config& config) {
  return {.bytes = config.storage.min_free_bytes, .percent = config.storage.min_free_percent};
}

}  // namespace

ProgramSettings program_settings(const config::Config& config) {
  return {.data_folder = config.data,
          .store_url = config.store.url,
          .keys_required = config.auth.enabled,
          .drain_time = seconds(config.server.limits.drain_timeout),
          .policy_rules = config.policy.rules};
}

log::Level log_level(const config::Config& config) {
  switch (config.log.level) {
    case config::LogLevel::kDebug: return log::Level::kDebug;
    case config::LogLevel::kInfo: return log::Level::kInfo;
    case config::LogLevel::kWarn: return log::Level::kWarn;
    case config::LogLevel::kError: return log::Level::kError;
    case config::LogLevel::kOff: return log::Level::kOff;
  }
  return log::Level::kInfo;
}

http::ServerOptions http_options(const config::Config& config) {
  http::ServerOptions options;
  const std::string& socket = config.server.unix_socket;
  if (!config.server.listen.empty()) options.listen.push_back(config.server.listen);
  if (!socket.empty()) options.listen.push_back("unix:" + socket);
  if (!config.server.tls.cert_file.empty()) {
    options.tls = http::TlsFiles{.certificate = config.server.tls.cert_file,
                                 .key = config.server.tls.key_file};
  }
  options.limits.header_bytes = config.server.limits.header_bytes;
  options.limits.connections = config.server.limits.connections;
  options.limits.header_time = seconds(config.server.limits.header_timeout);
  options.limits.body_time = seconds(config.server.limits.body_timeout);
  options.limits.idle_time = seconds(config.server.limits.idle_timeout);
  return options;
}

control::ControlOptions control_options(const config::Config& config, const Place& place) {
  control::ControlOptions options;
  options.mode = mode_of(config);
  options.limits = {.live = config.sessions.max_active,
                    .max_timeout_seconds = config.sessions.max_lifetime,
                    .timeout_seconds = config.sandbox.runtime.timeout,
                    .idle_timeout_seconds = config.sessions.idle_timeout};
  for (const auto& [name, preset] : config.network.presets) {
    model::NetworkPolicy policy = config::policy_of(preset);
    options.network.presets[name] = {.rules = std::move(policy.rules),
                                     .allow_private = std::move(policy.allow_private),
                                     .no_intercept = std::move(policy.no_intercept)};
  }
  options.network.allowed_domains = config.sandbox.network.allowed_domains;
  options.network.denied_domains = config.sandbox.network.denied_domains;
  options.executions = {.at_once = config.executions.concurrency,
                        .waiting = config.executions.queue,
                        .command_time = seconds(config.executions.command_timeout),
                        .code_time = seconds(config.executions.code_timeout),
                        .test_time = seconds(config.executions.test_timeout),
                        .longest_time = seconds(config.executions.max_timeout),
                        .output_bytes = config.executions.max_output_bytes};
  const config::PolicyConfig& levels = config.policy;
  model::RiskPolicy& said = options.code.levels;
  for (auto [level, action] :
       {std::pair(&said.low, levels.low), std::pair(&said.medium, levels.medium),
        std::pair(&said.high, levels.high), std::pair(&said.critical, levels.critical)}) {
    *level = action_of(action);
  }
  options.approvals.time = seconds(config.approvals.timeout);
  options.pool_size = config.pool.size;
  options.quotas.snapshots = {
      .count = config.quotas.snapshots, .bytes = config.quotas.snapshot_bytes, .files = UINT64_MAX};
  options.quotas.workspaces = {.count = config.quotas.workspaces,
                               .bytes = config.quotas.workspace_bytes,
                               .files = config.quotas.workspace_files};
  options.floor = floor_of(config);
  options.package_index = !config.packages.index_url.empty();
  options.cleanup_on_exit = config.sandbox.runtime.cleanup_on_exit;
  options.workspace_folder = place.data_folder + "/workspaces";
  options.snapshot_folder = place.data_folder + "/snapshots";
  options.journal_folder = place.data_folder + "/journals";
  options.results_kept = seconds(config.store.retention.ended_sessions);
  options.answers_kept = seconds(config.store.retention.idempotency_keys);
  options.audit_kept = seconds(config.store.retention.audit);
  options.audit = {.strict = config.audit.strict,
                   .checkpoints = {.file = config.audit.checkpoint.file,
                                   .command = config.audit.checkpoint.command,
                                   .interval = seconds(config.audit.checkpoint.interval)}};
  return options;
}

sandbox::BackendOptions backend_folders(const Place& place) {
  return {.run_folder = place.run_folder,
          .data_folder = place.data_folder,
          .state_folder = place.data_folder + "/sandboxes"};
}

node::LocalNodeOptions node_options(const config::Config& config, const Place& place) {
  node::LocalNodeOptions options;
  options.pool = {.max_total = config.pool.max_total,
                  .per_second = config.pool.replenish_per_second,
                  .min_free_percent = config.pool.min_free_memory_percent,
                  .check_interval = seconds(config.pool.check_interval)};
  options.default_backend = config.sandbox.backend;
  options.policy.network = {
      .allowed_domains = config.sandbox.network.allowed_domains,
      .denied_domains = config.sandbox.network.denied_domains,
      .allow_local_binding = config.sandbox.network.allow_local_binding,
  };
  options.policy.filesystem = {.deny_read = config.sandbox.filesystem.deny_read,
                               .allow_write = config.sandbox.filesystem.allow_write,
                               .deny_write = config.sandbox.filesystem.deny_write};
  options.bootstrap = {.init_dir = config.sandbox.bootstrap.init_dir,
                       .files = config.sandbox.bootstrap.files};
  options.bootstrap_folder = place.data_folder + "/bootstrap";
  const char* home = std::getenv("HOME");
  options.home = home != nullptr ? home : "";
  options.packages_folder = place.data_folder + "/packages";
  options.package_index = config.packages.index_url;
  options.package_quota = {.count = config.quotas.packages,
                           .bytes = config.quotas.package_bytes,
                           .files = config.quotas.package_files};
  options.floor = floor_of(config);
  options.backend = backend_folders(place);
  return options;
}

api::DialectOptions dialect_options(const config::Config& config,
                                    const config::DialectConfig& dialect) {
  api::DialectOptions options;
  options.default_template = dialect.default_template;
  options.images = dialect.images;
  options.body_bytes = config.server.limits.body_bytes;
  options.upload_bytes = config.server.limits.upload_bytes;
  return options;
}

egress::Settings egress_settings(const config::Config& config) {
  egress::Settings settings;
  if (!config.network.resolver.empty()) {
    settings.resolvers = std::vector<std::string>{config.network.resolver};
  }
  settings.refuse_ech = config.network.refuse_ech;
  settings.upstream = config.network.upstream;
  const config::NetworkLimitsConfig& limits = config.network.limits;
  settings.max_connections = limits.connections;
  settings.new_names_per_second = limits.new_names_per_second;
  settings.bytes_per_second = limits.bytes_per_second;
  settings.bytes = limits.bytes;
  settings.tenant_connections = limits.tenant_connections;
  settings.tenant_bytes_per_second = limits.tenant_bytes_per_second;
  return settings;
}

api::rest::RestOptions rest_options(const config::Config& config) {
  api::rest::RestOptions options;
  options.body_bytes = config.server.limits.body_bytes;
  options.upload_bytes = config.server.limits.upload_bytes;
  options.preview_domain = config.server.preview_domain;
  options.cors_origins = config.server.corsOrigins;
  options.approvals = {.url = config.approvals.webhook, .secret = config.approvals.webhook_secret};
  return options;
}

}  // namespace atl::server
