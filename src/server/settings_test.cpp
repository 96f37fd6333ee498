// Every field of the configuration arrives at the part that it is for and nowhere else, or its
// description says that it is not in use yet. What the parts do with it is for their own tests.
#include "server/settings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <gtest/gtest.h>

#include "codec/json.hpp"
#include "config/rules.hpp"
#include "config/schema.hpp"

namespace atl::server {
namespace {

using config::Config;
using Told = std::map<std::string, std::string>;

std::string text(const std::string& value) { return value; }
std::string text(std::chrono::milliseconds value) { return std::to_string(value.count()); }
std::string text(const std::vector<std::string>& values) {
  std::string all;
  for (const std::string& value : values) all += value + "\n";
  return all;
}
template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
std::string text(T value) {
  return std::to_string(static_cast<std::uint64_t>(value));
}
template <typename... T>
std::string both(const T&... values) {
  return ((text(values) + "\n") + ...);
}

void add_http(const Config& config, Told& told) {
  http::ServerOptions http = http_options(config);
  told["server.listen"] = http.listen.at(0);
  told["server.unix_socket"] = http.listen.at(1);
  told["server.tls.cert_file"] = http.tls.value().certificate;
  told["server.tls.key_file"] = http.tls.value().key;
  told["server.limits.header_bytes"] = text(http.limits.header_bytes);
  told["server.limits.connections"] = text(http.limits.connections);
  told["server.limits.header_timeout"] = text(http.limits.header_time);
  told["server.limits.body_timeout"] = text(http.limits.body_time);
  told["server.limits.idle_timeout"] = text(http.limits.idle_time);
  api::rest::RestOptions rest = rest_options(config);
  told["server.limits.body_bytes"] = text(rest.body_bytes);
  told["server.limits.upload_bytes"] = text(rest.upload_bytes);
  told["server.preview_domain"] = rest.preview_domain;
  told["server.corsOrigins"] = text(rest.cors_origins);
  told["approvals.webhook"] = rest.approvals.url;
  told["approvals.webhook_secret"] = rest.approvals.secret;
}

void add_control(const Config& config, Told& told) {
  control::ControlOptions control = control_options(config, {});
  told["sandbox.mode"] = text(control.mode);
  told["sandbox.runtime.timeout"] = text(control.limits.timeout_seconds);
  told["sandbox.runtime.cleanupOnExit"] = text(control.cleanup_on_exit);
  told["sessions.max_active"] = text(control.limits.live);
  told["sessions.max_lifetime"] = text(control.limits.max_timeout_seconds);
  told["sessions.idle_timeout"] = text(control.limits.idle_timeout_seconds);
  told["executions.concurrency"] = text(control.executions.at_once);
  told["executions.queue"] = text(control.executions.waiting);
  told["executions.command_timeout"] = text(control.executions.command_time);
  told["executions.code_timeout"] = text(control.executions.code_time);
  told["executions.test_timeout"] = text(control.executions.test_time);
  told["executions.max_timeout"] = text(control.executions.longest_time);
  told["executions.max_output_bytes"] = text(control.executions.output_bytes);
  told["pool.size"] = text(control.pool_size);
  for (auto [name, level] :
       {std::pair("low", control.code.levels.low), std::pair("medium", control.code.levels.medium),
        std::pair("high", control.code.levels.high),
        std::pair("critical", control.code.levels.critical)}) {
    told[std::string("policy.") + name] = level ? codec::name_of(*level) : "default";
  }
  told["policy.rules"] = program_settings(config).policy_rules;
  told["approvals.timeout"] = text(control.approvals.time);
  for (const auto& [name, preset] : control.network.presets) told["network.presets"] += name;
  told["quotas.snapshots"] = text(control.quotas.snapshots.count);
  told["quotas.snapshot_bytes"] = text(control.quotas.snapshots.bytes);
  told["quotas.workspaces"] = text(control.quotas.workspaces.count);
  told["quotas.workspace_bytes"] = text(control.quotas.workspaces.bytes);
  told["quotas.workspace_files"] = text(control.quotas.workspaces.files);
  told["store.retention.ended_sessions"] = text(control.results_kept);
  told["store.retention.idempotency_keys"] = text(control.answers_kept);
  told["store.retention.audit"] = text(control.audit_kept);
  told["audit.strict"] = text(control.audit.strict);
  told["audit.checkpoint.file"] = control.audit.checkpoints.file;
  told["audit.checkpoint.command"] = control.audit.checkpoints.command;
  told["audit.checkpoint.interval"] = text(control.audit.checkpoints.interval);
}

void add_node(const Config& config, Told& told) {
  control::ControlOptions control = control_options(config, {});
  node::LocalNodeOptions node = node_options(config, {});
  told["sandbox.backend"] = node.default_backend;
  told["pool.max_total"] = text(node.pool.max_total);
  told["pool.replenish_per_second"] = text(node.pool.per_second);
  told["pool.min_free_memory_percent"] = text(node.pool.min_free_percent);
  told["pool.check_interval"] = text(node.pool.check_interval);
  told["sandbox.network.allowedDomains"] =
      both(node.policy.network.allowed_domains, control.network.allowed_domains);
  told["sandbox.network.deniedDomains"] =
      both(node.policy.network.denied_domains, control.network.denied_domains);
  told["sandbox.network.allowLocalBinding"] = text(node.policy.network.allow_local_binding);
  told["sandbox.filesystem.denyRead"] = text(node.policy.filesystem.deny_read);
  told["sandbox.filesystem.allowWrite"] = text(node.policy.filesystem.allow_write);
  told["sandbox.filesystem.denyWrite"] = text(node.policy.filesystem.deny_write);
  told["sandbox.bootstrap.initDir"] = node.bootstrap.init_dir;
  told["sandbox.bootstrap.files"] = text(node.bootstrap.files);
  told["packages.index_url"] = both(node.package_index, control.package_index);
  told["quotas.packages"] = text(node.package_quota.count);
  told["quotas.package_bytes"] = text(node.package_quota.bytes);
  told["quotas.package_files"] = text(node.package_quota.files);
  told["storage.min_free_bytes"] = both(node.floor.bytes, control.floor.bytes);
  told["storage.min_free_percent"] = both(node.floor.percent, control.floor.percent);
}

void add_dialects(const Config& config, Told& told) {
  for (auto [name, dialect] : {std::pair("opensandbox", config.dialects.opensandbox),
                               std::pair("e2b", config.dialects.e2b)}) {
    std::string path = std::string("dialects.") + name;
    api::DialectOptions options = dialect_options(config, dialect);
    told[path + ".enabled"] = text(dialect.enabled);
    told[path + ".default_template"] = options.default_template;
    std::string& images = told[path + ".images"];
    for (const auto& [image, id] : options.images) images += image;
  }
}

void add_egress(const Config& config, Told& told) {
  egress::Settings egress = egress_settings(config);
  told["network.resolver"] = text(egress.resolvers.value_or(std::vector<std::string>()));
  told["network.refuse_ech"] = text(egress.refuse_ech.value());
  told["network.upstream"] = egress.upstream.value();
  told["network.limits.connections"] = text(egress.max_connections.value());
  told["network.limits.new_names_per_second"] = text(egress.new_names_per_second.value());
  told["network.limits.bytes_per_second"] = text(egress.bytes_per_second.value());
  told["network.limits.bytes"] = text(egress.bytes.value());
  told["network.limits.tenant_connections"] = text(egress.tenant_connections.value());
  told["network.limits.tenant_bytes_per_second"] = text(egress.tenant_bytes_per_second.value());
}

// What the parts are told, by the field that it comes from.
Told told_by(const Config& config) {
  Told told;
  ProgramSettings program = program_settings(config);
  told["data"] = program.data_folder;
  told["store.url"] = program.store_url;
  told["auth.enabled"] = text(program.keys_required);
  told["server.limits.drain_timeout"] = text(program.drain_time);
  told["log.level"] = text(log_level(config));
  add_http(config, told);
  add_control(config, told);
  add_node(config, told);
  add_dialects(config, told);
  add_egress(config, told);
  return told;
}

void change(bool& value) { value = !value; }
void change(std::string& value) { value += "x"; }
void change(std::vector<std::string>& value) { value.push_back("x"); }
template <typename T>
void change(std::map<std::string, T>& value) {
  value["x"];
}
template <typename T>
  requires(std::is_arithmetic_v<T>)
void change(T& value) {
  ++value;
}
template <typename T>
  requires(std::is_enum_v<T>)
void change(T& value) {
  value = static_cast<T>(static_cast<int>(value) == 0 ? 1 : 0);
}

// Calls `visit` with the path of each leaf, as it is written in a file, and with what changes it.
template <typename T, typename Visit>
void for_each_field(T& value, const std::string& path, const Visit& visit) {
  if constexpr (std::is_same_v<T, config::BackendConfigs>) {
    return;  // a backend gets its block as a whole
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto entry) {
      std::string name = codec::member_name(entry.name, codec::is_camel_case<T>());
      for_each_field(value.*entry.pointer, path.empty() ? name : path + "." + name, visit);
    });
  } else {
    visit(path, [&value] { change(value); });
  }
}

// With everything there that others hang on.
Config full_config() {
  Config config = config::default_config(false);
  config.server.unix_socket = "/s";
  config.server.tls = {.cert_file = "c", .key_file = "k"};
  config.network.presets["p"];
  return config;
}

std::set<std::string> differences(const Told& one, const Told& other) {
  std::set<std::string> paths;
  for (const auto& [path, value] : one) {
    if (other.at(path) != value) paths.insert(path);
  }
  return paths;
}

TEST(Settings, EveryFieldArrivesWhereItBelongs) {
  const Told before = told_by(full_config());
  std::set<std::string> seen;
  Config config = full_config();
  for_each_field(config, "", [&](const std::string& path, const auto& change_it) {
    const config::Rule* rule = config::rule_of(path);
    ASSERT_NE(rule, nullptr) << path;
    change_it();
    std::set<std::string> changed = differences(before, told_by(config));
    config = full_config();
    std::set<std::string> expected;
    // Both say which sandboxes there are.
    if (!rule->later) expected.insert(path == "sandbox.enabled" ? "sandbox.mode" : path);
    EXPECT_EQ(changed, expected) << path;
    seen.insert(path);
  });
  // No leaf of the schema was left out.
  config::for_each_leaf(config::schema(), [&](const config::Node& leaf) {
    if (leaf.path.starts_with("sandbox.backends.")) return;
    EXPECT_TRUE(seen.contains(leaf.path)) << leaf.path;
  });
}

TEST(Settings, DisabledSandboxesAreOff) {
  Config config = config::default_config(false);
  config.sandbox.mode = config::SandboxMode::kShared;
  EXPECT_EQ(control_options(config, {}).mode, control::Mode::kShared);
  config.sandbox.enabled = false;
  EXPECT_EQ(control_options(config, {}).mode, control::Mode::kDisabled);
}

}  // namespace
}  // namespace atl::server
