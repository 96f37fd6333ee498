// What containers can be told: `sandbox.backends.docker`.
// The names and defaults are those of existing configuration files, so that these can be used as
// they are.
#pragma once

#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "config/backend_block.hpp"

namespace atl::backends::docker {

inline constexpr const char* kPythonImage = "python:3.11-slim";
inline constexpr const char* kNodeImage = "node:20-alpine";
inline constexpr const char* kShellImage = "ubuntu:22.04";

struct Config {
  static constexpr bool kCamelCase = true;
  std::string host;
  std::string cert_path;
  std::string image = kPythonImage;
  std::string network_mode = "bridge";
  std::vector<std::string> cap_add;
};
BOOST_DESCRIBE_STRUCT(Config, (), (host, cert_path, image, network_mode, cap_add))

// The image of a template that names none. `image` counts for all languages, unless it is the
// default.
std::string default_image(const Config& config, const std::string& language);

const config::BackendBlock& config_block();

}  // namespace atl::backends::docker
