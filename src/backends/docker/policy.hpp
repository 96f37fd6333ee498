// The file system policy in the words of a container: what is mounted over which path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "backends/docker/image_view.hpp"
#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::docker {

struct PolicyMounts {
  std::vector<std::string> writable;      // an empty folder that can be written
  std::vector<std::string> read_only;     // an empty folder that cannot
  std::vector<std::string> hidden;        // an empty folder that cannot be entered
  std::vector<std::string> hidden_files;  // an unreadable stand-in
};

struct MountTarget {
  std::string path;
  bool read_only = true;
};

// What a container has beside its image's files.
struct Surroundings {
  std::vector<MountTarget> mounts;
  std::vector<std::string> volumes;  // that the image declares; they are covered and empty
};

// Denied is denied, also where another rule allows it. kPolicyUnsupported with the rule for one
// that mounts cannot enforce.
async::Task<Result<PolicyMounts>> policy_mounts(sandbox::FilesystemPatterns patterns,
                                                Surroundings around,
                                                std::shared_ptr<ImageView> view);

}  // namespace atl::backends::docker
