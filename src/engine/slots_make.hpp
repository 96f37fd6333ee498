// Slots as atoll-mounts makes and removes them.
#pragma once

#include "engine/mounts.hpp"

namespace atl::engine {

// Kills what is left in some slots, makes others and removes those that lie idle, as the order
// says. The locks and network namespaces of new ones go into `parts`, two for each, and their
// numbers into `made`.
Outcome<void> work_on_slots(const MountsOrder& order, std::span<UniqueFd> given, MountsMade& made,
                            std::vector<UniqueFd>& parts);

}  // namespace atl::engine
