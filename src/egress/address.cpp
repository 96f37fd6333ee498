#include "egress/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace atl::egress {

namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned kMappedBits = 96;

bool any_holds(std::span<const Network> networks, const Address& address) {
  return std::ranges::any_of(networks, [&](const Network& one) { return one.contains(address); });
}

template <std::size_t N>
std::array<Network, N> networks(const std::array<const char*, N>& texts) {
  std::array<Network, N> found;
  std::ranges::transform(texts, found.begin(),
                         [](const char* text) { return Network::parse(text).value(); });
  return found;
}

bool is_public_v4(const Address& address) {
  static const auto kOthers = networks(std::to_array<const char*>(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
       "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
       "203.0.113.0/24", "224.0.0.0/3"}));
  return !any_holds(kOthers, address);
}

// The IPv4 address that these forms carry, for a translator or a tunnel on the way.
std::optional<Address> embedded_v4(const Address& address) {
  struct Form {
    Network network;
    std::size_t at;
    std::uint8_t mask;
  };
  static const std::array<Form, 4> kForms{{
      {Network::parse("64:ff9b::/96").value(), 12, 0},
      {Network::parse("64:ff9b:1::/48").value(), 12, 0},
      {Network::parse("2002::/16").value(), 2, 0},
      {Network::parse("2001::/32").value(), 12, 0xff},  // Teredo writes the client inverted
  }};
  for (const Form& form : kForms) {
    if (!form.network.contains(address)) continue;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      number = number << 8 | static_cast<std::uint8_t>(address.bytes[form.at + i] ^ form.mask);
    }
    return Address::v4(number);
  }
  return std::nullopt;
}

}  // namespace

Address Address::v4(std::uint32_t host_order) {
  Address address;
  std::ranges::copy(kMapped, address.bytes.begin());
  for (std::size_t i = 0; i < 4; ++i) {
    address.bytes[12 + i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
  }
  return address;
}

std::optional<Address> Address::parse(std::string_view text) {
  char copy[INET6_ADDRSTRLEN + 1] = {};
  if (text.size() >= sizeof copy) return std::nullopt;
  std::memcpy(copy, text.data(), text.size());
  if (std::strlen(copy) != text.size()) return std::nullopt;  // a NUL inside
  in_addr four{};
  if (::inet_pton(AF_INET, copy, &four) == 1) return v4(ntohl(four.s_addr));
  Address address;
  if (::inet_pton(AF_INET6, copy, address.bytes.data()) != 1) return std::nullopt;
  return address;
}

bool Address::is_v4() const { return std::equal(kMapped.begin(), kMapped.end(), bytes.begin()); }

std::uint32_t Address::as_v4() const {
  std::uint32_t number = 0;
  for (std::size_t i = 12; i < 16; ++i) number = number << 8 | bytes[i];
  return number;
}

std::string Address::to_string() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_v4()) {
    ::inet_ntop(AF_INET, bytes.data() + 12, text, sizeof text);
  } else {
    ::inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
  }
  return text;
}

Address masked(const Address& address, unsigned prefix) {
  Address result = address;
  for (unsigned i = 0; i < 16; ++i) {
    unsigned bits = prefix > 8 * i ? std::min(prefix - 8 * i, 8u) : 0;
    result.bytes[i] &= static_cast<std::uint8_t>(0xff00u >> bits);
  }
  return result;
}

std::optional<Network> Network::parse(std::string_view text) {
  std::size_t slash = text.find('/');
  std::optional<Address> base = Address::parse(text.substr(0, slash));
  if (!base) return std::nullopt;
  unsigned prefix = 128;
  if (slash != std::string_view::npos) {
    std::string_view digits = text.substr(slash + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    bool four = text.find(':') == std::string_view::npos;
    if (error != std::errc() || end != digits.data() + digits.size() || digits.size() > 3 ||
        prefix > (four ? 32 : 128)) {
      return std::nullopt;
    }
    if (four) prefix += kMappedBits;
  }
  if (masked(*base, prefix) != *base) return std::nullopt;
  return Network{*base, prefix};
}

bool Network::contains(const Address& address) const { return masked(address, prefix) == base; }

bool is_public(const Address& address) {
  if (address.is_v4()) return is_public_v4(address);
  static const auto kOthers = networks(std::to_array<const char*>(
      {"::/96", "100::/64", "2001:db8::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"}));
  if (any_holds(kOthers, address)) return false;
  std::optional<Address> inside = embedded_v4(address);
  return !inside || is_public_v4(*inside);
}

}  // namespace atl::egress
