// The names that a sandbox has asked for and the address that stands for each inside: one to one
// for the sandbox's lifetime. An address follows from its name, so that a table that is made anew
// (after a crash) gives the same ones to clients that still remember them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "egress/address.hpp"

namespace atl::egress {

class NameTable {
 public:
  static constexpr std::size_t kMaxNames = 4096;
  static constexpr std::uint32_t kFirst = 0xc6120010;  // 198.18.0.16
  static constexpr std::uint32_t kLast = 0xc613fffe;   // 198.19.255.254

  // 198.18.0.1 is the sandbox's own; every refused name is this one, where refusals explain
  // themselves.
  static Address own() { return Address::v4(0xc6120001); }
  static Address blocked() { return Address::v4(0xc6120002); }
  // Whether the address is in 198.18.0.0/15, which is never routed.
  static bool is_synthetic(const Address& address);

  // Of a canonical name, as often as asked. nullopt: the table is full.
  std::optional<Address> address_of(std::string_view name);
  // nullptr: stands for no name.
  const std::string* name_of(const Address& address) const;
  bool holds(std::string_view name) const { return by_name_.contains(name); }
  std::size_t size() const { return by_name_.size(); }

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> by_name_;
  std::unordered_map<std::uint32_t, const std::string*> by_address_;  // keys of the other
};

}  // namespace atl::egress
