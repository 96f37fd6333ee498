// Pid 1 of a native sandbox before it serves: enters its cgroups and builds its file system, in the
// sandbox's own user namespace, then gives up all powers but those to start user code. The launcher
// waits for the end of it.
#pragma once

#include "guest/start.hpp"

namespace atl::guest {

// Does what the BoxStart on kConfigFd says. `config` is read already, and the first of the box's
// descriptors is `fd`. Ends the process when a step fails.
void build_box(const GuestConfig& config, int fd);

}  // namespace atl::guest
