// Which names a folder of the host's root will have inside a sandbox that stands on it, before
// there is one. For expanding the patterns of the file system policy (fs_policy.hpp).
#pragma once

#include <string>
#include <vector>

namespace atl::sandbox {

// None when it is no folder, a symlink that is not to be followed, or cannot be read by the caller.
std::vector<std::string> names_on_host(const std::string& folder, bool follow);
// The same for what of the host's root is seen inside: its system folders.
std::vector<std::string> names_in_host_root(const std::string& folder, bool follow);
// Empty inside at first, whatever the host has there: the workspace, /tmp, /proc, /dev.
bool starts_empty(const std::string& folder);

}  // namespace atl::sandbox
