#include "backends/srt/config.hpp"

#include <array>

#include "config/make_block.hpp"

namespace atl::backends::srt {
namespace {

using namespace atl::config;  // Rule, its checks and limits

constexpr std::array kRules{
    Rule{.path = "sandbox.backends.srt.settingsPath",
         .says = "Settings file of srt that its sandboxes start from where it exists; "
                 "`network` and `filesystem` are added.",
         .most = kMaxPath,
         .check = check_path},
};

}  // namespace

const config::BackendBlock& config_block() {
  static constexpr config::BackendBlock kBlock = config::make_block<Config>("srt", kRules);
  return kBlock;
}

}  // namespace atl::backends::srt
