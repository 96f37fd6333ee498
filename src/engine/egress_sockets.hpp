// A sandbox's way out: routes and rules that bring every TCP connection and every DNS query of the
// present network namespace to two sockets, which are then held by atoll-egress outside
// (docs/adr/0043-egress.md). Needs CAP_NET_ADMIN over the namespace; allocates nothing.
#pragma once

#include "base/unique_fd.hpp"

namespace atl::engine {

// lo is up, all addresses are local, and TCP to any port goes to the listener. Once is enough for a
// namespace, and again changes nothing. 0, or an errno: of ENOENT, EOPNOTSUPP and EPROTONOSUPPORT
// the kernel has no nft_tproxy.
int route_to_egress() noexcept;

// For each sandbox. False, and errno says why.
bool make_egress_sockets(UniqueFd& listener, UniqueFd& dns) noexcept;

}  // namespace atl::engine
