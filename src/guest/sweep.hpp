// Ends every process of an execution, also those that left its process group and its session: they
// all carry its mark (confine/execution_mark.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace atl::guest {

// The mark of the execution whose first process is `pid`, which must not be collected yet. 0: none.
std::uint64_t mark_of(pid_t pid);
// Kills whatever has this mark, and what it starts meanwhile.
void kill_marked(std::uint64_t mark);

}  // namespace atl::guest
