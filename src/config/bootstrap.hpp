// What a new workspace starts with: the operator's files, copied into every one. This only lists
// them; whoever makes the sandbox opens each and puts it in through the guest. Blocks: call it on a
// pool thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "config/sandbox_config.hpp"

namespace atl::config {

struct BootstrapLimits {
  std::size_t files = 2000;
  std::uint64_t bytes = 64ull << 20;  // of all files together
  std::size_t depth = 32;
};

struct BootstrapFile {
  std::string root;    // the folder that `source` must not leave
  std::string source;  // relative to it
  std::string target;  // relative to the workspace; '/' between steps
  std::uint64_t size = 0;
  bool executable = false;
};

struct BootstrapPlan {
  std::vector<BootstrapFile> files;  // by target
  // What was left out and why: "skills/x: leads out of the folder". For the log.
  std::vector<std::string> skipped;
};

// The content of initDir where that is a folder, else the files that exist; `skills/` in any case
// and over what came before. Links are followed as long as they stay below `folder` (or below
// initDir when that is absolute). kTooLarge beyond the limits. A missing `folder` is an empty plan.
// `home` is what ~/ in initDir stands for.
Result<BootstrapPlan> plan_bootstrap(const BootstrapConfig& config, const std::string& folder,
                                     const std::string& home = {}, BootstrapLimits limits = {});

// For reading; again only below its root, whatever happened since the plan was made. Fails when it
// is no regular file any more.
Result<UniqueFd> open_bootstrap_file(const BootstrapFile& file);

}  // namespace atl::config
