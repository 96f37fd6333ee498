// What sandboxes of srt can be told: `sandbox.backends.srt`.
// The names and defaults are those of existing configuration files, so that these can be used as
// they are.
#pragma once

#include <string>

#include <boost/describe/class.hpp>

#include "config/backend_block.hpp"

namespace atl::backends::srt {

struct Config {
  static constexpr bool kCamelCase = true;
  std::string settings_path = "~/.vikingbot/srt-settings.json";
};
BOOST_DESCRIBE_STRUCT(Config, (), (settings_path))

const config::BackendBlock& config_block();

}  // namespace atl::backends::srt
