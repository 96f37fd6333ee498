// What the policies of a server, a template and a key come to for code of a level (contract §6):
// the strictest applies. Pure.
#pragma once

#include <optional>

#include "model/risk_policy.hpp"
#include "policy/finding.hpp"

namespace atl::control {

// Nothing: it says nothing of the level.
std::optional<model::RiskAction> action_of(const model::RiskPolicy& policy, policy::Level level);

struct RiskPolicies {
  model::RiskPolicy server;
  model::RiskPolicy origin;  // the template
  model::RiskPolicy key;

  std::optional<model::RiskAction> action(policy::Level level) const;
  bool empty() const { return server.empty() && origin.empty() && key.empty(); }
};

}  // namespace atl::control
