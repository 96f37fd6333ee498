// The rules of a network policy, compiled: the first that matches decides, and finding it does not
// depend on how many there are. Pure; made once for each policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "egress/address.hpp"

namespace atl::egress {

enum class Action { kDeny, kAllow };

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 65535;
};

struct Rule {
  Action action = Action::kDeny;
  std::variant<std::string, Network> target;  // a canonical pattern, or addresses
  std::vector<PortRange> ports;               // none: all
};

struct Verdict {
  static constexpr std::size_t kDefault = SIZE_MAX;

  Action action = Action::kDeny;
  std::size_t rule = kDefault;  // which one decided
};

class Rules {
 public:
  Rules(const std::vector<Rule>& rules, Action otherwise);

  // A connection to a canonical name.
  Verdict judge(std::string_view name, std::uint16_t port) const;
  // A connection to an address that stands for no name: rules of names do not allow it, but "*"
  // decides about it too.
  Verdict judge(const Address& address, std::uint16_t port) const;
  // Whether any port of the name is allowed: it may be resolved then.
  bool may_resolve(std::string_view name) const;

 private:
  struct Entry {
    std::size_t rule;  // rises within a list
    Action action;
    std::vector<PortRange> ports;
  };
  using Entries = std::vector<Entry>;

  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct AddressHash {
    std::size_t operator()(const Address& address) const;
  };
  using ByAddress = std::unordered_map<Address, Entries, AddressHash>;

  // Takes the first entry that matches, if it comes before the one that decided so far.
  static void decide(const Entries& entries, std::uint16_t port, Verdict& verdict);
  template <typename Visit>
  void for_each_list(std::string_view name, Visit visit) const;

  Action otherwise_;
  std::unordered_map<std::string, Entries, TextHash, std::equal_to<>> names_;     // exact
  std::unordered_map<std::string, Entries, TextHash, std::equal_to<>> suffixes_;  // "*.x" as "x"
  Entries any_;                                                                   // "*"
  std::vector<std::pair<unsigned, ByAddress>> networks_;                          // by prefix
};

}  // namespace atl::egress
