// An address and a port, and how the kernel wants them.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "egress/address.hpp"

namespace atl::egress {

struct Endpoint {
  Address address;
  std::uint16_t port = 0;

  // "192.0.2.1", "192.0.2.1:53", "2001:db8::1", "[2001:db8::1]:53".
  static std::optional<Endpoint> parse(std::string_view text, std::uint16_t default_port);
  // Of a socket of AF_INET6 or AF_INET.
  static Endpoint from(const sockaddr_storage& from);
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  explicit SocketAddress(const Endpoint& endpoint);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

}  // namespace atl::egress
