// What the options of `atoll run` and `atoll create` say of a network, as one policy: --net,
// --allow-net, --deny-net, --secret and --secret-host. Pure, but for the values of secrets, which
// are read from the caller's variables and files. No command has these options yet: they come with
// a backend that can enforce them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
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

struct AskedNetwork {
  model::NetworkPolicy policy;                 // a secret is called as its variable
  std::map<std::string, std::string> secrets;  // their values
};

// Denied ones go before allowed ones. Hosts that get a secret are allowed on port 443. Errors name
// the option and the part of it that is wrong, and never a value.
Result<AskedNetwork> parse_network(const NetworkOptions& options);

// NAME, *.NAME, *, ADDRESS or NETWORK, each with :PORT or :PORT-PORT if wanted; IPv6 in brackets
// then.
Result<model::NetworkRule> parse_network_rule(std::string_view text, model::NetworkAction action);

}  // namespace atl::cli
