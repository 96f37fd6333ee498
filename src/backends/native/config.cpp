#include "backends/native/config.hpp"

#include <array>

#include "config/make_block.hpp"

namespace atl::backends::native {
namespace {

using namespace atl::config;  // Rule, its checks and limits

constexpr std::array kRules{
    Rule{.path = "sandbox.backends.native.runDir",
         .says = "Folder for the sockets of native sandboxes; empty: chosen by the system.",
         .most = 100,
         .check = check_absolute_path},
};

}  // namespace

const config::BackendBlock& config_block() {
  static constexpr config::BackendBlock kBlock = config::make_block<Config>("native", kRules);
  return kBlock;
}

}  // namespace atl::backends::native
