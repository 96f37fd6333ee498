// Everything that can be configured, as plain data. Who reads it, and what each field means and may
// hold, stands in rules_*.cpp; docs/configuration.md is made from both. Times are in seconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "config/network_presets.hpp"
#include "config/sandbox_config.hpp"

namespace atl::config {

struct TlsConfig {
  std::string cert_file;
  std::string key_file;
};
BOOST_DESCRIBE_STRUCT(TlsConfig, (), (cert_file, key_file))

struct ServerLimits {
  std::uint32_t connections = 10'000;
  std::uint64_t header_bytes = 16 * 1024;
  std::uint64_t body_bytes = 16 * 1024 * 1024;
  std::uint64_t upload_bytes = 16ull << 30;
  std::uint32_t header_timeout = 10;
  std::uint32_t body_timeout = 60;
  std::uint32_t idle_timeout = 75;
  std::uint32_t drain_timeout = 30;
};
BOOST_DESCRIBE_STRUCT(ServerLimits, (),
                      (connections, header_bytes, body_bytes, upload_bytes, header_timeout,
                       body_timeout, idle_timeout, drain_timeout))

struct ServerConfig {
  std::string listen = "127.0.0.1:8080";
  std::string unix_socket;
  std::string preview_domain;
  std::vector<std::string> corsOrigins;
  TlsConfig tls;
  ServerLimits limits;
};
BOOST_DESCRIBE_STRUCT(ServerConfig, (),
                      (listen, unix_socket, preview_domain, corsOrigins, tls, limits))

struct RetentionConfig {
  std::uint64_t ended_sessions = 7 * 86400;
  std::uint64_t idempotency_keys = 86400;
  std::uint64_t audit = 30 * 86400;
};
BOOST_DESCRIBE_STRUCT(RetentionConfig, (), (ended_sessions, idempotency_keys, audit))

struct StoreConfig {
  std::string url;
  RetentionConfig retention;
};
BOOST_DESCRIBE_STRUCT(StoreConfig, (), (url, retention))

struct CheckpointConfig {
  std::string file;
  std::string command;
  std::uint64_t interval = 60;
};
BOOST_DESCRIBE_STRUCT(CheckpointConfig, (), (file, command, interval))

struct AuditConfig {
  bool strict = false;
  CheckpointConfig checkpoint;
};
BOOST_DESCRIBE_STRUCT(AuditConfig, (), (strict, checkpoint))

struct AuthConfig {
  bool enabled = true;
};
BOOST_DESCRIBE_STRUCT(AuthConfig, (), (enabled))

BOOST_DEFINE_ENUM_CLASS(LogLevel, kDebug, kInfo, kWarn, kError, kOff)

struct LogConfig {
  LogLevel level = LogLevel::kInfo;
};
BOOST_DESCRIBE_STRUCT(LogConfig, (), (level))

struct SessionsConfig {
  std::uint32_t max_active = 2000;
  std::uint64_t idle_timeout = 0;
  std::uint64_t max_lifetime = 7 * 86400;
};
BOOST_DESCRIBE_STRUCT(SessionsConfig, (), (max_active, idle_timeout, max_lifetime))

struct ExecutionsConfig {
  std::uint64_t command_timeout = 60;
  std::uint64_t code_timeout = 30;
  std::uint64_t test_timeout = 60;
  std::uint64_t max_timeout = 86400;
  std::uint64_t max_output_bytes = 10 * 1024 * 1024;
  std::uint32_t concurrency = 8;
  std::uint32_t queue = 100;
};
BOOST_DESCRIBE_STRUCT(ExecutionsConfig, (),
                      (command_timeout, code_timeout, test_timeout, max_timeout, max_output_bytes,
                       concurrency, queue))

// Of each tenant.
struct QuotasConfig {
  std::uint64_t snapshots = 1000;
  std::uint64_t snapshot_bytes = 100ull << 30;
  std::uint64_t workspaces = 10'000;
  std::uint64_t workspace_bytes = 100ull << 30;
  std::uint64_t workspace_files = 5'000'000;
  std::uint64_t packages = 100;
  std::uint64_t package_bytes = 20ull << 30;
  std::uint64_t package_files = 2'000'000;
};
BOOST_DESCRIBE_STRUCT(QuotasConfig, (),
                      (snapshots, snapshot_bytes, workspaces, workspace_bytes, workspace_files,
                       packages, package_bytes, package_files))

struct StorageConfig {
  std::uint64_t min_free_bytes = 1ull << 30;
  std::uint32_t min_free_percent = 5;
};
BOOST_DESCRIBE_STRUCT(StorageConfig, (), (min_free_bytes, min_free_percent))

struct PoolConfig {
  std::uint32_t size = 5;
  std::uint32_t max_total = 64;
  std::uint32_t replenish_per_second = 1000;
  std::uint32_t min_free_memory_percent = 10;
  std::uint32_t check_interval = 30;
};
BOOST_DESCRIBE_STRUCT(PoolConfig, (),
                      (size, max_total, replenish_per_second, min_free_memory_percent,
                       check_interval))

struct PackagesConfig {
  std::string index_url;
};
BOOST_DESCRIBE_STRUCT(PackagesConfig, (), (index_url))

// Of the way out of sandboxes (docs/network.md). 0: no limit.
struct NetworkLimitsConfig {
  std::uint32_t connections = 256;
  std::uint32_t new_names_per_second = 20;
  std::uint64_t bytes_per_second = 0;
  std::uint64_t bytes = 0;
  std::uint32_t tenant_connections = 4096;
  std::uint64_t tenant_bytes_per_second = 0;
};
BOOST_DESCRIBE_STRUCT(NetworkLimitsConfig, (),
                      (connections, new_names_per_second, bytes_per_second, bytes,
                       tenant_connections, tenant_bytes_per_second))

struct OutsideConfig {
  PresetConfigs presets;
  std::string resolver;
  bool refuse_ech = false;
  std::string upstream;
  NetworkLimitsConfig limits;
};
BOOST_DESCRIBE_STRUCT(OutsideConfig, (), (presets, resolver, refuse_ech, upstream, limits))

BOOST_DEFINE_ENUM_CLASS(LevelAction, kDefault, kAllow, kAsk, kDeny)

// What happens to code of a level (docs/policy.md).
struct PolicyConfig {
  LevelAction low = LevelAction::kDefault;
  LevelAction medium = LevelAction::kDefault;
  LevelAction high = LevelAction::kDefault;
  LevelAction critical = LevelAction::kDefault;
  std::string rules;
};
BOOST_DESCRIBE_STRUCT(PolicyConfig, (), (low, medium, high, critical, rules))

// How a person is asked before code runs.
struct ApprovalsConfig {
  std::uint64_t timeout = 300;
  std::string webhook;
  std::string webhook_secret;
};
BOOST_DESCRIBE_STRUCT(ApprovalsConfig, (), (timeout, webhook, webhook_secret))

struct DialectConfig {
  bool enabled = true;
  std::string default_template = "python-default";
  std::map<std::string, std::string> images;
};
BOOST_DESCRIBE_STRUCT(DialectConfig, (), (enabled, default_template, images))

struct DialectsConfig {
  DialectConfig opensandbox;
  DialectConfig e2b;
};
BOOST_DESCRIBE_STRUCT(DialectsConfig, (), (opensandbox, e2b))

struct Config {
  std::string data;
  SandboxConfig sandbox;
  ServerConfig server;
  StoreConfig store;
  AuditConfig audit;
  AuthConfig auth;
  LogConfig log;
  SessionsConfig sessions;
  ExecutionsConfig executions;
  QuotasConfig quotas;
  StorageConfig storage;
  PoolConfig pool;
  PackagesConfig packages;
  OutsideConfig network;
  PolicyConfig policy;
  ApprovalsConfig approvals;
  DialectsConfig dialects;
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (data, sandbox, server, store, audit, auth, log, sessions, executions, quotas,
                       storage, pool, packages, network, policy, approvals, dialects))

// What holds when nothing is said. A file that has a `sandbox` block takes part in somebody's
// agent, which expects sandboxes to be off, of kind srt, until the block turns them on.
Config default_config(bool sandbox_block);

}  // namespace atl::config
