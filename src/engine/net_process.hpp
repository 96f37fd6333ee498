// What the program atoll-net does: it enters the network namespaces of sandboxes, lays their routes
// to egress (egress_sockets.hpp) and hands the sockets to the launcher. Unlike other helpers it
// stays, because sandboxes out of a warm pool wait for it: until the launcher ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace atl::engine {

// An order says nothing but which sandbox is meant, by descriptors. The answer to each, in their
// order, is a Failure; behind an empty one come the listener and the DNS socket.
inline constexpr std::string_view kNetOrder = "+";
enum NetFd : std::size_t { kNetProcess /* a pidfd of its pid 1 */, kNetHost, kNetFds };

int open_networks();

// The network that this process stands in, for whoever listens at `path`: an errno (4 bytes), and
// behind 0 the two sockets. The program ends with it.
int open_own_network(const char* path);

}  // namespace atl::engine
