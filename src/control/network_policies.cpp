#include "control/network_policies.hpp"

#include <utility>

#include "base/field_error.hpp"
#include "egress/policy.hpp"

namespace atl::control {

namespace {

using model::NetworkAction;
using model::NetworkPolicy;

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add_rules(std::vector<model::NetworkRule>& rules, NetworkAction action,
               const std::vector<std::string>& domains) {
  for (const std::string& domain : domains) {
    rules.push_back({.action = action, .target = domain, .ports = {}});
  }
}

// The pointer of a policy's member, as one of the whole request.
Error within(const std::string& at, const Error& error) {
  return field_error(error.code(), at + std::string(field_of(error)), error.message());
}

}  // namespace

Result<NetworkPolicy> NetworkPolicies::settle(NetworkRequest request) const {
  NetworkPolicy& policy = request.policy;
  // Before the preset's rules come behind them, so that places in errors are the client's.
  if (Result<egress::Policy> own = egress::compile(policy); !own) {
    return fail(within(request.at, own.error()));
  }
  if (request.preset.empty()) return std::move(policy);
  auto preset = settings_.presets.find(request.preset);
  if (preset == settings_.presets.end()) {
    std::string names;
    for (const auto& [name, rules] : settings_.presets) names += (names.empty() ? "" : ", ") + name;
    return fail(field_error(Code::kInvalidValue, request.at + "/preset",
                            names.empty() ? "unknown: the configuration has no network.presets"
                                          : "unknown; network.presets has " + names));
  }
  append(policy.rules, preset->second.rules);
  append(policy.allow_private, preset->second.allow_private);
  append(policy.no_intercept, preset->second.no_intercept);
  if (Result<egress::Policy> all = egress::compile(policy); !all) {
    return fail(field_error(all.error().code(), request.at + "/preset",
                            "together with the policy: " + all.error().message()));
  }
  return std::move(policy);
}

Result<NetworkPolicy> NetworkPolicies::with_denied(NetworkPolicy policy) const {
  std::vector<model::NetworkRule> rules;
  add_rules(rules, NetworkAction::kDeny, settings_.denied_domains);
  policy.rules.insert(policy.rules.begin(), rules.begin(), rules.end());
  if (policy.rules.size() <= egress::Policy::kMaxRules) return policy;
  return fail(Code::kInvalidValue,
              "the policy has too many rules together with sandbox.network.deniedDomains");
}

NetworkPolicy NetworkPolicies::in_force(const model::TemplateSecurity& security,
                                        const model::SessionConfig& config) const {
  if (config.network) return *config.network;
  NetworkPolicy policy;
  add_rules(policy.rules, NetworkAction::kDeny, settings_.denied_domains);
  std::size_t denied = policy.rules.size();
  add_rules(policy.rules, NetworkAction::kAllow, settings_.allowed_domains);
  add_rules(policy.rules, NetworkAction::kAllow, security.allowed_domains);
  bool has_list = policy.rules.size() > denied;
  if (config.allow_network && !has_list) policy.default_ = NetworkAction::kAllow;
  return policy;
}

NetworkPolicy policy_of(const model::TemplateSecurity& security) {
  if (security.network) return *security.network;
  NetworkPolicy policy;
  add_rules(policy.rules, NetworkAction::kAllow, security.allowed_domains);
  if (security.allow_network && policy.rules.empty()) policy.default_ = NetworkAction::kAllow;
  return policy;
}

Result<model::NetworkPolicy> settle_network(const Caller& caller, const model::Template& origin,
                                            NetworkRequest request,
                                            const NetworkPolicies& policies) {
  std::string at = request.at;
  ATOLL_TRY(model::NetworkPolicy asked, policies.settle(std::move(request)));
  const model::TemplateSecurity& security = origin.spec.security;
  bool has_network =
      security.allow_network || security.network || !security.allowed_domains.empty();
  if (!has_network) {
    if (caller.is_admin() || !model::allows_anything(asked)) return asked;
    return fail(Code::kForbidden,
                "the template has no network: an admin can make one that has, with "
                "security.network");
  }
  Result<model::NetworkPolicy> both = narrowed(policy_of(security), asked);
  if (!both) return fail(field_error(both.error().code(), at, both.error().message()));
  return both;
}

}  // namespace atl::control
