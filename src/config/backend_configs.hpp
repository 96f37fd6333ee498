// What each kind of sandbox can be told: the `sandbox.backends` block. Names and defaults are those
// of existing configuration files, so that these can be used as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

namespace atl::config {

struct NativeBackendConfig {
  static constexpr bool kCamelCase = true;
  std::string run_dir;
};
BOOST_DESCRIBE_STRUCT(NativeBackendConfig, (), (run_dir))

struct SrtBackendConfig {
  static constexpr bool kCamelCase = true;
  std::string settings_path = "~/.vikingbot/srt-settings.json";
};
BOOST_DESCRIBE_STRUCT(SrtBackendConfig, (), (settings_path))

struct DockerBackendConfig {
  static constexpr bool kCamelCase = true;
  std::string host;
  std::string cert_path;
  std::string image = "python:3.11-slim";
  std::string network_mode = "bridge";
};
BOOST_DESCRIBE_STRUCT(DockerBackendConfig, (), (host, cert_path, image, network_mode))

struct PodResources {
  static constexpr bool kCamelCase = true;
  std::string cpu;
  std::string memory;
};
BOOST_DESCRIBE_STRUCT(PodResources, (), (cpu, memory))

struct KubernetesBackendConfig {
  static constexpr bool kCamelCase = true;
  std::string kubeconfig_path;
  std::string namespace_ = "atoll";  // NOLINT(readability-identifier-naming): a keyword
  std::string image = "busybox:latest";
  std::string image_pull_policy = "IfNotPresent";
  PodResources requests{.cpu = "0.1", .memory = "512Mi"};
  PodResources limits{.cpu = "2", .memory = "1Gi"};
  std::uint64_t ready_timeout = 60;
};
BOOST_DESCRIBE_STRUCT(KubernetesBackendConfig, (),
                      (kubeconfig_path, namespace_, image, image_pull_policy, requests, limits,
                       ready_timeout))

BOOST_DEFINE_ENUM_CLASS(OpenSandboxMode, kLocal, kVke)

inline constexpr const char* kOpenSandboxImage = "opensandbox/code-interpreter:v1.0.1";

struct OpenSandboxLocalConfig {
  static constexpr bool kCamelCase = true;
  std::string server_url = "http://localhost:8080";
  std::string api_key;
  std::string default_image = kOpenSandboxImage;
  std::string tos_path = "~/.atoll/tos";
};
BOOST_DESCRIBE_STRUCT(OpenSandboxLocalConfig, (), (server_url, api_key, default_image, tos_path))

struct OpenSandboxTosConfig {
  static constexpr bool kCamelCase = true;
  bool enabled = true;
  std::string mount_path = "/tos";
  std::string pvc_name = "vikingbot-tos-pvc";
};
BOOST_DESCRIBE_STRUCT(OpenSandboxTosConfig, (), (enabled, mount_path, pvc_name))

struct OpenSandboxVkeConfig {
  static constexpr bool kCamelCase = true;
  std::string server_url = "http://opensandbox-server.vikingbot.svc.cluster.local:8080";
  std::string api_key;
  std::string default_image = kOpenSandboxImage;
  std::string namespace_ = "vikingbot";  // NOLINT(readability-identifier-naming): a keyword
  std::string kubeconfig_path = "~/.kube/config";
  OpenSandboxTosConfig tos;
};
BOOST_DESCRIBE_STRUCT(OpenSandboxVkeConfig, (),
                      (server_url, api_key, default_image, namespace_, kubeconfig_path, tos))

struct OpenSandboxNetworkConfig {
  static constexpr bool kCamelCase = true;
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
};
BOOST_DESCRIBE_STRUCT(OpenSandboxNetworkConfig, (), (allowed_domains, denied_domains))

struct OpenSandboxRuntimeConfig {
  static constexpr bool kCamelCase = true;
  std::uint64_t timeout = 300;
  std::string cpu = "500m";
  std::string memory = "1Gi";
};
BOOST_DESCRIBE_STRUCT(OpenSandboxRuntimeConfig, (), (timeout, cpu, memory))

struct OpenSandboxBackendConfig {
  static constexpr bool kCamelCase = true;
  OpenSandboxMode mode = OpenSandboxMode::kLocal;
  std::vector<std::string> entrypoint{"/opt/opensandbox/code-interpreter.sh"};
  bool use_server_proxy = false;
  OpenSandboxLocalConfig local;
  OpenSandboxVkeConfig vke;
  OpenSandboxNetworkConfig network;
  OpenSandboxRuntimeConfig runtime;
};
BOOST_DESCRIBE_STRUCT(OpenSandboxBackendConfig, (),
                      (mode, entrypoint, use_server_proxy, local, vke, network, runtime))

struct BackendsConfig {
  static constexpr bool kCamelCase = true;
  NativeBackendConfig native;
  SrtBackendConfig srt;
  DockerBackendConfig docker;
  KubernetesBackendConfig kubernetes;
  OpenSandboxBackendConfig opensandbox;
};
BOOST_DESCRIBE_STRUCT(BackendsConfig, (), (native, srt, docker, kubernetes, opensandbox))

}  // namespace atl::config
