// The file system policy in the words of a container: what is mounted over which path.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "backends/docker/engine.hpp"
#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::docker {

struct PolicyMounts {
  std::vector<std::string> writable;      // an empty folder that can be written
  std::vector<std::string> hidden;        // an empty folder that cannot be entered
  std::vector<std::string> hidden_files;  // an unreadable stand-in
};

// Asks the engine what the image has at the paths. kPolicyUnsupported for a rule that would not
// hold.
async::Task<Result<PolicyMounts>> policy_mounts(
    sandbox::FilesystemPolicy policy, std::vector<std::string> mount_targets,
    std::function<async::Task<Result<PathKind>>(std::string path)> kind_of);

}  // namespace atl::backends::docker
