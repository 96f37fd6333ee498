// Which names a folder inside a sandbox will have, before there is one: the host's system folders
// and the sources of the mounts. For expanding the patterns of the file system policy.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/mounts.hpp"

namespace atl::cli {

// None when it is no folder, a symlink, or cannot be read by the caller.
std::vector<std::string> names_inside(const std::string& folder, std::span<const MountText> mounts);

}  // namespace atl::cli
