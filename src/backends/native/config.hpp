// What native sandboxes can be told: `sandbox.backends.native`.
#pragma once

#include <string>

#include <boost/describe/class.hpp>

#include "config/backend_block.hpp"

namespace atl::backends::native {

struct Config {
  static constexpr bool kCamelCase = true;
  std::string run_dir;
};
BOOST_DESCRIBE_STRUCT(Config, (), (run_dir))

const config::BackendBlock& config_block();

}  // namespace atl::backends::native
