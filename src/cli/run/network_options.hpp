// What the options of `atoll run` and `atoll create` say of a network, as one policy: --net,
// --allow-net, --deny-net, --secret and --secret-host. Pure, but for the values of secrets, which
// are read from the caller's variables and files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/core/option.hpp"
#include "model/network.hpp"

namespace atl::cli {

// As they were written.
struct NetworkOptions {
  bool net = false;                       // --net: everything public
  std::vector<std::string> allow;         // --allow-net LIST
  std::vector<std::string> deny;          // --deny-net LIST
  std::vector<std::string> secrets;       // --secret ENV=@env:VAR|@file:PATH
  std::vector<std::string> secret_hosts;  // --secret-host ENV=HOST,…

  bool empty() const {
    return !net && allow.empty() && deny.empty() && secrets.empty() && secret_hosts.empty();
  }
};

// Setters of option tables whose target has NetworkOptions as its member Place.
template <auto Place, auto Member>
Result<void> add_of_network(void* target, std::string_view value) {
  using Target = MemberOf<decltype(Place)>::Owner;
  ((static_cast<Target*>(target)->*Place).*Member).emplace_back(value);
  return {};
}
template <auto Place>
Result<void> set_net(void* target, std::string_view) {
  using Target = MemberOf<decltype(Place)>::Owner;
  (static_cast<Target*>(target)->*Place).net = true;
  return {};
}

// The same text wherever they are offered.
inline constexpr std::string_view kNetHelp =
    "Let it reach everything public, by name or address. Private networks, metadata services and "
    "this machine stay out of reach.";
inline constexpr std::string_view kAllowNetHelp =
    "Let it reach these and nothing else: names, *.NAME for all names below NAME, addresses and "
    "networks, each with :PORT or :PORT-PORT if wanted, and commas between them. Repeatable.";
inline constexpr std::string_view kDenyNetHelp =
    "Refuse these, whatever else is allowed; written as for --allow-net. Repeatable.";

struct AskedNetwork {
  model::NetworkPolicy policy;                      // a secret is called as its variable
  std::map<std::string, std::string> secrets;       // their values
  std::map<std::string, std::string> placeholders;  // by variable, once they are chosen
};

// Denied ones go before allowed ones. Hosts that get a secret are allowed on port 443. Errors name
// the option and the part of it that is wrong, and never a value.
Result<AskedNetwork> parse_network(const NetworkOptions& options);

// NAME, *.NAME, *, ADDRESS or NETWORK, each with :PORT or :PORT-PORT if wanted; IPv6 in brackets
// then.
Result<model::NetworkRule> parse_network_rule(std::string_view text, model::NetworkAction action);

}  // namespace atl::cli
