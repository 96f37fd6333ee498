// IPv4 and IPv6 addresses and networks as values, and which of them are public. Pure.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::egress {

// IPv4 in its mapped form ::ffff:a.b.c.d, so that both forms of one address are equal.
struct Address {
  std::array<std::uint8_t, 16> bytes{};

  static Address v4(std::uint32_t host_order);
  // "192.0.2.1", "2001:db8::1"; no zones, no octal or hexadecimal IPv4.
  static std::optional<Address> parse(std::string_view text);

  bool is_v4() const;
  std::uint32_t as_v4() const;  // host order; only of one that is
  std::string to_string() const;
  auto operator<=>(const Address&) const = default;
};

struct Network {
  Address base;         // bits behind the prefix are 0
  unsigned prefix = 0;  // of 128: a /24 of IPv4 is 120

  // "10.0.0.0/8", "fd00::/8", or an address. nullopt also when bits behind the prefix are set.
  static std::optional<Network> parse(std::string_view text);

  bool contains(const Address& address) const;
  bool operator==(const Network&) const = default;
};

// `address` with the bits behind the prefix cleared.
Address masked(const Address& address, unsigned prefix);

// False for addresses of this host, of private and shared networks, link-local ones, metadata
// services, documentation, multicast, and for IPv6 forms that carry such an IPv4 address.
bool is_public(const Address& address);

}  // namespace atl::egress
