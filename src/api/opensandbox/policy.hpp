// Network policies between their form and ours. Pure.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "api/opensandbox/bodies.hpp"
#include "control/network_request.hpp"
#include "model/network.hpp"

namespace atl::api::opensandbox {

inline constexpr std::size_t kMaxRules = 1000;

Answer<model::NetworkRule> to_rule(RuleBody body, const std::string& at);
// Nothing said: their default is to deny.
Answer<control::NetworkRequest> to_network(PolicyBody body, std::string at);
// {"status","mode","enforcementMode","policy":{"defaultAction","egress":[{"action","target"}]}}
boost::json::object policy_status(const model::NetworkPolicy& policy);

}  // namespace atl::api::opensandbox
