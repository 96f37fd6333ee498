#include "cli/run/network_options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/environment_name.hpp"
#include "cli/core/secret_source.hpp"
#include "egress/policy.hpp"
#include "model/ports.hpp"

namespace atl::cli {
namespace {

using model::NetworkAction;
using model::NetworkRule;

std::unexpected<Error> wrong(const std::string& option, std::string_view part, std::string why) {
  return fail(Code::kInvalidArgument, option + " " + std::string(part) + ": " + std::move(why));
}

// The parts of "a,b"; an empty one is left to whoever reads it.
std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

// The compiled form judges names and networks; its sentence is the best there is.
Result<void> check_rule(const NetworkRule& rule) {
  model::NetworkPolicy alone;
  alone.rules.push_back(rule);
  Result<egress::Policy> compiled = egress::compile(alone);
  if (compiled) return {};
  return fail(Code::kInvalidArgument, compiled.error().message());
}

Result<void> add_rules(const std::vector<std::string>& lists, NetworkAction action,
                       const std::string& option, model::NetworkPolicy& policy) {
  for (const std::string& list : lists) {
    for (std::string_view part : split(list)) {
      Result<NetworkRule> rule = parse_network_rule(part, action);
      if (!rule) return wrong(option, part, rule.error().message());
      policy.rules.push_back(std::move(*rule));
    }
  }
  return {};
}

// Of "ENV=…".
Result<std::pair<std::string, std::string>> named(const std::string& text,
                                                  const std::string& option, const char* form) {
  std::size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_environment_name(name)) {
    // What stands there may be a secret.
    return fail(Code::kInvalidArgument, option + ": write " + form);
  }
  return std::pair(std::move(name), text.substr(equals + 1));
}

Result<void> add_secrets(const NetworkOptions& options, AskedNetwork& asked) {
  for (const std::string& text : options.secrets) {
    ATOLL_TRY(auto secret, named(text, "--secret", "ENV=@env:VAR or ENV=@file:PATH"));
    Result<std::string> value = read_secret(secret.second);
    if (!value) return wrong("--secret", secret.first, value.error().message());
    if (!asked.secrets.emplace(secret.first, std::move(*value)).second) {
      return wrong("--secret", secret.first, "is given twice");
    }
    asked.policy.secrets.push_back({.env = secret.first, .secret = secret.first, .hosts = {}});
  }
  return {};
}

Result<void> add_hosts(const NetworkOptions& options, model::NetworkPolicy& policy) {
  for (const std::string& text : options.secret_hosts) {
    ATOLL_TRY(auto hosts, named(text, "--secret-host", "ENV=HOST,…"));
    auto use = std::ranges::find(policy.secrets, hosts.first, &model::SecretUse::env);
    if (use == policy.secrets.end()) {
      return wrong("--secret-host", hosts.first, "there is no --secret of this name");
    }
    for (std::string_view host : split(hosts.second)) {
      NetworkRule rule{.action = NetworkAction::kAllow,
                       .target = std::string(host),
                       .ports = {{.first = 443, .last = 443}}};
      bool is_name = !egress::Network::parse(rule.target) && host != "*";
      Result<void> fits = check_rule(rule);
      if (!is_name || !fits) {
        return wrong("--secret-host", host, "write a name, or *.NAME for all names below it");
      }
      use->hosts.push_back(rule.target);
      policy.rules.push_back(std::move(rule));
    }
  }
  for (const model::SecretUse& use : policy.secrets) {
    if (use.hosts.empty()) {
      return wrong("--secret", use.env,
                   "name the hosts that get it: --secret-host " + use.env + "=HOST");
    }
  }
  return {};
}

}  // namespace

Result<NetworkRule> parse_network_rule(std::string_view text, NetworkAction action) {
  NetworkRule rule{.action = action, .target = std::string(text), .ports = {}};
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    std::size_t end = text.find(']');
    std::string_view rest = end == text.npos ? "" : text.substr(end + 1);
    if (end == text.npos || (!rest.empty() && rest[0] != ':')) {
      return fail(Code::kInvalidArgument, "write [ADDRESS]:PORT");
    }
    rule.target = text.substr(1, end - 1);
    has_port = !rest.empty();
    if (has_port) port = rest.substr(1);
  } else if (std::ranges::count(text, ':') == 1) {  // more of them are in IPv6 addresses
    rule.target = text.substr(0, text.find(':'));
    port = text.substr(text.find(':') + 1);
    has_port = true;
  }
  if (rule.target.empty()) return fail(Code::kInvalidArgument, "a name is missing");
  if (has_port) {
    std::optional<model::PortRange> range = model::parse_ports(port);
    if (!range) return fail(Code::kInvalidArgument, "write a port after the colon, as in :443");
    rule.ports.push_back(*range);
  }
  ATOLL_CHECK(check_rule(rule));
  return rule;
}

Result<AskedNetwork> parse_network(const NetworkOptions& options) {
  AskedNetwork asked;
  if (options.net && !options.allow.empty()) {
    return fail(Code::kInvalidArgument,
                "--net and --allow-net exclude each other: --net allows everything public");
  }
  if (options.net) asked.policy.default_ = NetworkAction::kAllow;
  ATOLL_CHECK(add_rules(options.deny, NetworkAction::kDeny, "--deny-net", asked.policy));
  ATOLL_CHECK(add_rules(options.allow, NetworkAction::kAllow, "--allow-net", asked.policy));
  ATOLL_CHECK(add_secrets(options, asked));
  ATOLL_CHECK(add_hosts(options, asked.policy));
  if (Result<egress::Policy> compiled = egress::compile(asked.policy); !compiled) {
    return fail(Code::kInvalidArgument, compiled.error().message());
  }
  return asked;
}

}  // namespace atl::cli
