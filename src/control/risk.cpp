#include "control/risk.hpp"

#include <algorithm>
#include <array>

namespace atl::control {

using model::RiskAction;

std::optional<RiskAction> action_of(const model::RiskPolicy& policy, policy::Level level) {
  const std::array said{policy.low, policy.medium, policy.high, policy.critical};
  auto index = static_cast<std::size_t>(level);
  if (index == 0) return std::nullopt;  // safe
  if (said.at(index - 1)) return said.at(index - 1);
  // What is asked for or denied is so for what is worse, too.
  for (std::size_t below = index - 1; below > 0; --below) {
    std::optional<RiskAction> one = said.at(below - 1);
    if (!one) continue;
    if (*one == RiskAction::kAllow) return std::nullopt;
    return one;
  }
  return std::nullopt;
}

std::optional<RiskAction> RiskPolicies::action(policy::Level level) const {
  // Nothing is less than allow.
  return std::max({action_of(server, level), action_of(origin, level), action_of(key, level)});
}

}  // namespace atl::control
