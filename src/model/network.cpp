#include "model/network.hpp"

#include <algorithm>

namespace atl::model {

bool allows_anything(const NetworkPolicy& policy) {
  return policy.default_ == NetworkAction::kAllow ||
         std::ranges::any_of(policy.rules, [](const NetworkRule& rule) {
           return rule.action == NetworkAction::kAllow;
         });
}

}  // namespace atl::model
