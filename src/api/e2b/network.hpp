// E2B's network options as a policy of control, and back. Pure.
#pragma once

#include <optional>

#include "api/common/refusal.hpp"
#include "api/e2b/call.hpp"
#include "control/network_request.hpp"

namespace atl::api::e2b {

// `network` and `allow_internet_access` of a body. Nothing: the body asks for nothing in
// particular, as every client does that does not mention the network. Whatever has no equal here is
// refused.
Answer<std::optional<control::NetworkRequest>> network_of(const object* network,
                                                          std::optional<bool> allow_internet);
object network_view(const model::NetworkPolicy& policy);

}  // namespace atl::api::e2b
