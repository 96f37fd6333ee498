// What pods can be told: `sandbox.backends.kubernetes`.
// There is no such backend yet; the configuration is read and checked.
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe/class.hpp>

#include "config/backend_block.hpp"

namespace atl::backends::kubernetes {

struct PodResources {
  static constexpr bool kCamelCase = true;
  std::string cpu;
  std::string memory;
};
BOOST_DESCRIBE_STRUCT(PodResources, (), (cpu, memory))

struct Config {
  static constexpr bool kCamelCase = true;
  std::string kubeconfig_path;
  std::string namespace_ = "atoll";  // NOLINT(readability-identifier-naming): a keyword
  std::string image = "busybox:latest";
  std::string image_pull_policy = "IfNotPresent";
  PodResources requests{.cpu = "0.1", .memory = "512Mi"};
  PodResources limits{.cpu = "2", .memory = "1Gi"};
  std::uint64_t ready_timeout = 60;
};
BOOST_DESCRIBE_STRUCT(Config, (),
                      (kubeconfig_path, namespace_, image, image_pull_policy, requests, limits,
                       ready_timeout))

const config::BackendBlock& config_block();

}  // namespace atl::backends::kubernetes
