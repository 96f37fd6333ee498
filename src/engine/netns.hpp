// Network namespaces with nothing but a loopback. They belong to the host's user namespace, so no
// sandbox has a say over one and it can be lent again once everything in it is gone.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::engine {

// Moves the calling process into a new one with lo up, and returns a descriptor of it.
Result<UniqueFd> make_netns();
// The one kept at SHARED/net/NUMBER (a bind mount, as `ip netns` does); made when missing.
Result<UniqueFd> open_kept_netns(const UniqueFd& shared, unsigned number);

}  // namespace atl::engine
