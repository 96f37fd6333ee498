// Making, clearing and removing the leaves of cgroup.hpp: what helpers of the launcher do.
#pragma once

#include "engine/cgroup.hpp"

namespace atl::engine {

// Finds or makes the leaves of a slot, or that of a zygote.
bool make_leaves(const Cgroups& host, Leaf leaf, unsigned number);
// Removes them where they are empty; rootless, with the last one what held them.
void remove_leaves(const Cgroups& host, Leaf leaf, unsigned number);
// Kills what is in the user's leaf of a slot, or in that of a zygote.
void end_processes(const Cgroups& host, Leaf leaf, unsigned number);

}  // namespace atl::engine
