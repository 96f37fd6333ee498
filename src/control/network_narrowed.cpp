// Two policies as one. The first rule that matches decides, so what both allow is the list of all
// pairs of their rules, in order: the first pair that matches is made of the first rule of each
// that does.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "control/network_policies.hpp"
#include "egress/host_name.hpp"
#include "egress/policy.hpp"

namespace atl::control {

namespace {

using egress::Network;
using model::NetworkAction;
using model::NetworkPolicy;
using model::NetworkRule;
using model::PortRange;

// The smaller of two of which one is within the other; nullopt: they have nothing in common.
std::optional<Network> common_network(const Network& one, const Network& other) {
  const Network& small = one.prefix >= other.prefix ? one : other;
  const Network& large = one.prefix >= other.prefix ? other : one;
  return large.contains(small.base) ? std::optional(small) : std::nullopt;
}

bool is_below(std::string_view name, std::string_view suffix) {
  return egress::matches("*." + std::string(suffix), name);
}

// Both are names or patterns, in canonical form.
std::optional<std::string> common_pattern(const std::string& one, const std::string& other) {
  bool many = one.starts_with("*.");
  bool others = other.starts_with("*.");
  if (many && others) {
    if (one == other || is_below(one.substr(2), other.substr(2))) return one;
    return is_below(other.substr(2), one.substr(2)) ? std::optional(other) : std::nullopt;
  }
  if (many) return egress::matches(one, other) ? std::optional(other) : std::nullopt;
  return egress::matches(other, one) ? std::optional(one) : std::nullopt;
}

// A rule whose target was read once, not once for each pair.
struct Read {
  const NetworkRule& rule;
  bool any = false;
  std::optional<Network> network;
  std::optional<std::string> pattern;  // canonical
};

std::optional<std::string> common_target(const Read& one, const Read& other) {
  if (one.any) return other.rule.target;
  if (other.any) return one.rule.target;
  if (one.network && other.network) {
    std::optional<Network> both = common_network(*one.network, *other.network);
    if (!both) return std::nullopt;
    return both == one.network ? one.rule.target : other.rule.target;
  }
  if (!one.pattern || !other.pattern) return std::nullopt;
  return common_pattern(*one.pattern, *other.pattern);
}

// None stands for all of them; nullopt: they have none in common.
std::optional<std::vector<PortRange>> common_ports(const std::vector<PortRange>& one,
                                                   const std::vector<PortRange>& other) {
  if (one.empty()) return other;
  if (other.empty()) return one;
  std::vector<PortRange> both;
  for (const PortRange& a : one) {
    for (const PortRange& b : other) {
      PortRange range{.first = std::max(a.first, b.first), .last = std::min(a.last, b.last)};
      if (range.first <= range.last) both.push_back(range);
    }
  }
  return both.empty() ? std::nullopt : std::optional(both);
}

std::vector<NetworkRule> with_default(const NetworkPolicy& policy) {
  std::vector<NetworkRule> rules = policy.rules;
  rules.push_back({.action = policy.default_, .target = "*", .ports = {}});
  return rules;
}

std::vector<Read> read_all(const std::vector<NetworkRule>& rules) {
  std::vector<Read> all;
  for (const NetworkRule& rule : rules) {
    Read& one = all.emplace_back(Read{.rule = rule, .any = rule.target == "*"});
    one.network = Network::parse(rule.target);
    if (!one.network) one.pattern = egress::canonical_pattern(rule.target);
  }
  return all;
}

std::vector<std::string> common_networks(const std::vector<std::string>& ones,
                                         const std::vector<std::string>& others) {
  std::vector<std::string> both;
  for (const std::string& a : ones) {
    for (const std::string& b : others) {
      std::optional<Network> one = Network::parse(a);
      std::optional<Network> other = Network::parse(b);
      std::optional<Network> common = one && other ? common_network(*one, *other) : std::nullopt;
      if (common) both.push_back(common == one ? a : b);
    }
  }
  return both;
}

std::unexpected<Error> too_many() {
  return fail(
      Code::kInvalidValue,
      "the rules of the session's policy and of its template's cannot be put together: they are "
      "too many; use a template with fewer");
}

}  // namespace

Result<NetworkPolicy> narrowed(const NetworkPolicy& bound, const NetworkPolicy& asked) {
  constexpr std::size_t kMaxPairs = 200'000;  // milliseconds of the I/O thread
  if ((bound.rules.size() + 1) * (asked.rules.size() + 1) > kMaxPairs) return too_many();
  std::vector<NetworkRule> bound_rules = with_default(bound);
  std::vector<NetworkRule> asked_rules = with_default(asked);
  std::vector<Read> others = read_all(asked_rules);
  NetworkPolicy both;
  for (const Read& a : read_all(bound_rules)) {
    for (const Read& b : others) {
      std::optional<std::string> target = common_target(a, b);
      if (!target) continue;
      std::optional<std::vector<PortRange>> ports = common_ports(a.rule.ports, b.rule.ports);
      if (!ports) continue;
      bool allow = a.rule.action == NetworkAction::kAllow && b.rule.action == NetworkAction::kAllow;
      both.rules.push_back({.action = allow ? NetworkAction::kAllow : NetworkAction::kDeny,
                            .target = std::move(*target),
                            .ports = std::move(*ports)});
      if (both.rules.size() > egress::Policy::kMaxRules + 1) return too_many();  // the default too
    }
  }
  // The last pair is that of the two defaults.
  both.default_ = both.rules.back().action;
  both.rules.pop_back();
  both.allow_private = common_networks(bound.allow_private, asked.allow_private);
  both.headers = bound.headers;
  for (const auto& [pattern, headers] : asked.headers) {
    for (const auto& [name, value] : headers) both.headers[pattern][name] = value;
  }
  both.secrets = asked.secrets;
  for (const model::SecretUse& use : bound.secrets) {
    if (std::ranges::find(asked.secrets, use.env, &model::SecretUse::env) == asked.secrets.end()) {
      both.secrets.push_back(use);
    }
  }
  both.no_intercept = bound.no_intercept;
  both.no_intercept.insert(both.no_intercept.end(), asked.no_intercept.begin(),
                           asked.no_intercept.end());
  // Together they may be more than one may have.
  if (Result<egress::Policy> compiled = egress::compile(both); !compiled) {
    return fail(Code::kInvalidValue, "the policies of the session and of its template together: " +
                                         compiled.error().message());
  }
  return both;
}

}  // namespace atl::control
