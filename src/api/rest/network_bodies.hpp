// Network policies: from a body to what control is asked for, and back. Pure.
#pragma once

#include <string>

#include "api/common/refusal.hpp"
#include "bodies/network.hpp"
#include "control/network_request.hpp"

namespace atl::api::rest {

// `at`: where the policy is in the request. Only the form is judged here.
Answer<control::NetworkRequest> to_request(bodies::NetworkPolicyBody body, std::string at);
bodies::NetworkPolicyBody policy_view(const model::NetworkPolicy& policy);

}  // namespace atl::api::rest
