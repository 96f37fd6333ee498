#include "server/settings.hpp"

#include <cstdlib>

#include <boost/json/object.hpp>

#include "codec/json.hpp"

namespace atl::server {
namespace {

control::Mode mode_of(const config::Config& config) {
  bool off = !config.sandbox.enabled || config.sandbox.mode == config::SandboxMode::kDisabled;
  if (off) return control::Mode::kDisabled;
  bool shared = config.sandbox.mode == config::SandboxMode::kShared;
  return shared ? control::Mode::kShared : control::Mode::kPerSession;
}

// One of the two modes; what the other one says is left out.
std::string opensandbox_settings(const config::Config& config, const std::string& home) {
  boost::json::object told{
      {"entrypoint", codec::to_json(config.sandbox.backends.opensandbox.entrypoint)},
      {"server_proxy", config.sandbox.backends.opensandbox.use_server_proxy},
      {"timeout", config.sandbox.backends.opensandbox.runtime.timeout},
      {"cpu", config.sandbox.backends.opensandbox.runtime.cpu},
      {"memory", config.sandbox.backends.opensandbox.runtime.memory},
      {"allowed_domains",
       codec::to_json(config.sandbox.backends.opensandbox.network.allowed_domains)},
      {"denied_domains",
       codec::to_json(config.sandbox.backends.opensandbox.network.denied_domains)}};
  const std::string& mount_path = config.sandbox.backends.opensandbox.vke.tos.mount_path;
  if (config.sandbox.backends.opensandbox.mode == config::OpenSandboxMode::kVke) {
    told["server_url"] = config.sandbox.backends.opensandbox.vke.server_url;
    told["api_key"] = config.sandbox.backends.opensandbox.vke.api_key;
    told["image"] = config.sandbox.backends.opensandbox.vke.default_image;
    if (config.sandbox.backends.opensandbox.vke.tos.enabled) {
      told["mount_path"] = mount_path;
      told["claim"] = config.sandbox.backends.opensandbox.vke.tos.pvc_name;
    }
    return codec::serialize(told);
  }
  told["server_url"] = config.sandbox.backends.opensandbox.local.server_url;
  told["api_key"] = config.sandbox.backends.opensandbox.local.api_key;
  told["image"] = config.sandbox.backends.opensandbox.local.default_image;
  std::string folder = config.sandbox.backends.opensandbox.local.tos_path;
  if (folder.starts_with("~/")) folder.replace(0, 1, home);
  if (!folder.empty()) {
    told["mount_path"] = mount_path;
    told["host_path"] = folder;
  }
  return codec::serialize(told);
}

std::chrono::seconds seconds(std::uint64_t count) { return std::chrono::seconds(count); }

node::SpaceFloor floor_of(const config::Config& config) {
  return {.bytes = config.storage.min_free_bytes, .percent = config.storage.min_free_percent};
}

}  // namespace

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
  options.executions = {.at_once = config.executions.concurrency,
                        .waiting = config.executions.queue,
                        .command_time = seconds(config.executions.command_timeout),
                        .code_time = seconds(config.executions.code_timeout),
                        .longest_time = seconds(config.executions.max_timeout),
                        .output_bytes = config.executions.max_output_bytes};
  options.pool = {.size = config.pool.size,
                  .max_total = config.pool.max_total,
                  .per_second = config.pool.replenish_per_second,
                  .min_free_percent = config.pool.min_free_memory_percent,
                  .check_interval = seconds(config.pool.check_interval)};
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
  return options;
}

node::LocalNodeOptions node_options(const config::Config& config, const Place& place) {
  node::LocalNodeOptions options;
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
  options.backend.run_folder = place.run_folder;
  options.backend.settings["state_folder"] = place.data_folder + "/sandboxes";
  options.backend.settings["docker.folder"] = place.data_folder + "/docker";
  options.backend.settings["docker.host"] = config.sandbox.backends.docker.host;
  options.backend.settings["docker.cert_folder"] = config.sandbox.backends.docker.cert_path;
  options.backend.settings["docker.image"] = config.sandbox.backends.docker.image;
  options.backend.settings["docker.network"] = config.sandbox.backends.docker.network_mode;
  options.backend.settings["opensandbox"] = opensandbox_settings(config, options.home);
  options.backend.settings["data_folder"] = place.data_folder;
  options.backend.settings["srt.settings_path"] = config.sandbox.backends.srt.settings_path;
  return options;
}

api::rest::RestOptions rest_options(const config::Config& config) {
  api::rest::RestOptions options;
  options.body_bytes = config.server.limits.body_bytes;
  options.upload_bytes = config.server.limits.upload_bytes;
  options.preview_domain = config.server.preview_domain;
  return options;
}

}  // namespace atl::server
