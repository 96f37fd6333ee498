// Control groups of an ordinary user on cgroup v2: systemd's user manager, and units with
// Delegate=yes, give the user a group of his own to divide.
#pragma once

#include "base/unique_fd.hpp"

namespace atl::backends::native {

// A delegated group that can hold limited groups: the nearest one above this process without
// processes in it, or this process's own, whose processes then move into a leaf below it. None
// where nothing was delegated, and on v1.
UniqueFd find_delegated_cgroup();

}  // namespace atl::backends::native
