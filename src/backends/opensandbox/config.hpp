// What sandboxes of an OpenSandbox server can be told: `sandbox.backends.opensandbox`.
// The names and defaults are those of existing configuration files, so that these can be used as
// they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "config/backend_block.hpp"

namespace atl::backends::opensandbox {

BOOST_DEFINE_ENUM_CLASS(Mode, kLocal, kVke)

inline constexpr const char* kDefaultImage = "opensandbox/code-interpreter:v1.0.1";

struct LocalConfig {
  static constexpr bool kCamelCase = true;
  std::string server_url = "http://localhost:8080";
  std::string api_key;
  std::string default_image = kDefaultImage;
  std::string tos_path = "~/.atoll/tos";
};
BOOST_DESCRIBE_STRUCT(LocalConfig, (), (server_url, api_key, default_image, tos_path))

struct TosConfig {
  static constexpr bool kCamelCase = true;
  bool enabled = true;
  std::string mount_path = "/tos";
  std::string pvc_name = "vikingbot-tos-pvc";
};
BOOST_DESCRIBE_STRUCT(TosConfig, (), (enabled, mount_path, pvc_name))

struct VkeConfig {
  static constexpr bool kCamelCase = true;
  std::string server_url = "http://opensandbox-server.vikingbot.svc.cluster.local:8080";
  std::string api_key;
  std::string default_image = kDefaultImage;
  std::string namespace_ = "vikingbot";  // NOLINT(readability-identifier-naming): a keyword
  std::string kubeconfig_path = "~/.kube/config";
  TosConfig tos;
};
BOOST_DESCRIBE_STRUCT(VkeConfig, (),
                      (server_url, api_key, default_image, namespace_, kubeconfig_path, tos))

struct NetworkConfig {
  static constexpr bool kCamelCase = true;
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
};
BOOST_DESCRIBE_STRUCT(NetworkConfig, (), (allowed_domains, denied_domains))

struct RuntimeConfig {
  static constexpr bool kCamelCase = true;
  std::uint64_t timeout = 300;
  std::string cpu = "500m";
  std::string memory = "1Gi";
};
BOOST_DESCRIBE_STRUCT(RuntimeConfig, (), (timeout, cpu, memory))

struct Config {
  static constexpr bool kCamelCase = true;
  Mode mode = Mode::kLocal;
  std::vector<std::string> entrypoint{"/opt/opensandbox/code-interpreter.sh"};
  bool use_server_proxy = false;
  LocalConfig local;
  VkeConfig vke;
  NetworkConfig network;
  RuntimeConfig runtime;
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (mode, entrypoint, use_server_proxy, local, vke, network, runtime))

const config::BackendBlock& config_block();

}  // namespace atl::backends::opensandbox
