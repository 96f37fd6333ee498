// Checks of descriptors that a client hands over: they must be what they are said to be, and belong
// to another network namespace than this process's.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace atl::egress {

Result<std::uint64_t> own_netns_cookie();

// kInvalidArgument when one is not. Sets both to O_NONBLOCK.
Result<void> check_sockets(int listener, int dns, std::uint64_t own_netns);

}  // namespace atl::egress
