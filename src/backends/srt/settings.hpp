// The settings file of one srt, from the policy of one sandbox. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::srt {

// All paths are the host's, and stand for themselves: globs were expanded before.
struct SettingsPlan {
  sandbox::NetworkPolicy network;
  sandbox::FilesystemPolicy filesystem;
  std::vector<std::string> hidden;    // whatever the policy says: Atoll's own data
  std::vector<std::string> shown;     // though they may lie in what is hidden
  std::vector<std::string> writable;  // the sandbox's own folders
};

// What the operator's own settings file holds, to start from. kInvalidArgument: no settings of
// srt. kPolicyUnsupported: they switch off what Atoll relies on.
Result<void> check_base(const std::string& base);

// JSON text; `base` is that file's, or empty. Lists grow, everything else of it stays.
Result<std::string> settings_text(const std::string& base, const SettingsPlan& plan);

}  // namespace atl::backends::srt
