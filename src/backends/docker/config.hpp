// What containers can be told: `sandbox.backends.docker`.
// The names and defaults are those of existing configuration files, so that these can be used as
// they are.
#pragma once

#include <string>

#include <boost/describe/class.hpp>

#include "config/backend_block.hpp"

namespace atl::backends::docker {

struct Config {
  static constexpr bool kCamelCase = true;
  std::string host;
  std::string cert_path;
  std::string image = "python:3.11-slim";
  std::string network_mode = "bridge";
};
BOOST_DESCRIBE_STRUCT(Config, (), (host, cert_path, image, network_mode))

const config::BackendBlock& config_block();

}  // namespace atl::backends::docker
