// The `sandbox` block: which sandboxes there are, who shares them and what they may reach. Written
// in camelCase, as in the configuration files of the agents that bring one along.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "config/backend_block.hpp"
#include "model/default_backend.hpp"

namespace atl::config {

// "per-session", "shared", "disabled": enumerations are written with dashes in configuration.
BOOST_DEFINE_ENUM_CLASS(SandboxMode, kPerSession, kShared, kDisabled)

struct NetworkConfig {
  static constexpr bool kCamelCase = true;
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
  bool allow_local_binding = false;
};
BOOST_DESCRIBE_STRUCT(NetworkConfig, (), (allowed_domains, denied_domains, allow_local_binding))

struct FilesystemConfig {
  static constexpr bool kCamelCase = true;
  std::vector<std::string> deny_read;
  std::vector<std::string> allow_write;
  std::vector<std::string> deny_write;
};
BOOST_DESCRIBE_STRUCT(FilesystemConfig, (), (deny_read, allow_write, deny_write))

struct RuntimeConfig {
  static constexpr bool kCamelCase = true;
  bool cleanup_on_exit = true;
  std::uint64_t timeout = 300;
};
BOOST_DESCRIBE_STRUCT(RuntimeConfig, (), (cleanup_on_exit, timeout))

struct BootstrapConfig {
  static constexpr bool kCamelCase = true;
  std::string init_dir = "init";
  std::vector<std::string> files;
};
BOOST_DESCRIBE_STRUCT(BootstrapConfig, (), (init_dir, files))

// The initialisers are those of a configuration without a `sandbox` block; default_config() has
// the others.
struct SandboxConfig {
  static constexpr bool kCamelCase = true;
  bool enabled = true;
  std::string backend = model::kDefaultBackend;
  SandboxMode mode = SandboxMode::kPerSession;
  NetworkConfig network;
  FilesystemConfig filesystem;
  RuntimeConfig runtime;
  BackendConfigs backends;
  BootstrapConfig bootstrap;
};
BOOST_DESCRIBE_STRUCT(SandboxConfig, (),
                      (enabled, backend, mode, network, filesystem, runtime, backends, bootstrap))

}  // namespace atl::config
