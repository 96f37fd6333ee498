// Which names a folder inside a sandbox will have, before there is one: the host's system folders
// and the sources of the mounts. For expanding the patterns of the file system policy.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/run/mounts.hpp"
#include "sandbox/host_root.hpp"

namespace atl::cli {

// What a sandbox's root is made of where nothing is mounted: the host's system folders, or an
// image.
using InsideRoot = std::function<std::vector<std::string>(const std::string& folder, bool follow)>;

// None when it is no folder, a symlink that is not to be followed, or cannot be read by the caller.
std::vector<std::string> names_inside(const std::string& folder, bool follow,
                                      std::span<const MountText> mounts,
                                      const InsideRoot& root = &sandbox::names_in_host_root);

}  // namespace atl::cli
