// Ending a process together with everything it started. A real backend has a cgroup or a pid
// namespace for this; here /proc is walked until nothing is left.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/child.hpp"

namespace atl::backends::fake {

std::vector<pid_t> descendants_of(pid_t pid);

// Stops the process so that it starts nothing new, kills what is below it, then itself. Blocks
// until all of them are gone.
void end_tree(pid_t pid, Child& process);

}  // namespace atl::backends::fake
