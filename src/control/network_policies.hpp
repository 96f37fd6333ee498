// Network policies before anything enforces them: presets replaced by their rules, checked, and
// held to what the template allows. Pure; read-only after the start.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/network_request.hpp"
#include "model/network.hpp"
#include "model/template.hpp"

namespace atl::control {

// Rules that the configuration gives a name.
struct NetworkPreset {
  std::vector<model::NetworkRule> rules;
  std::vector<std::string> allow_private;
  std::vector<std::string> no_intercept;
};

struct NetworkSettings {
  std::map<std::string, NetworkPreset> presets;
  // Of the `sandbox.network` block. A denied one is denied to every session.
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
};

class NetworkPolicies {
 public:
  explicit NetworkPolicies(NetworkSettings settings = {}) : settings_(std::move(settings)) {}

  // As it is stored. kInvalidValue with the place of what is wrong in the request.
  Result<model::NetworkPolicy> settle(NetworkRequest request) const;
  // With the domains that the configuration denies in front. kInvalidValue when it has too many
  // rules then.
  Result<model::NetworkPolicy> with_denied(model::NetworkPolicy policy) const;
  // What holds for a session: its policy, or what allow_network and the lists of the template and
  // of the configuration stand for.
  model::NetworkPolicy in_force(const model::TemplateSecurity& security,
                                const model::SessionConfig& config) const;

 private:
  NetworkSettings settings_;
};

// What a template allows: its policy, or what allow_network and allowed_domains stand for.
model::NetworkPolicy policy_of(const model::TemplateSecurity& security);

// What both allow. Headers and secrets of both: those of `asked` win. kInvalidValue when it would
// have too many rules.
Result<model::NetworkPolicy> narrowed(const model::NetworkPolicy& bound,
                                      const model::NetworkPolicy& asked);

// The policy that a session of this template gets when `caller` asks for this one. What the
// template allows is never widened; kForbidden when it has no network, unless the caller may change
// templates and could have said so there.
Result<model::NetworkPolicy> settle_network(const Caller& caller, const model::Template& origin,
                                            NetworkRequest request,
                                            const NetworkPolicies& policies);

}  // namespace atl::control
