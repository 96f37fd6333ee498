// A network policy in the words of backends that keep to lists of names. Pure.
#pragma once

#include "base/result.hpp"
#include "model/network.hpp"
#include "sandbox/registry.hpp"

namespace atl::node {

// kPolicyUnsupported: what lists cannot say.
Result<sandbox::NetworkPolicy> lists_of(const model::NetworkPolicy& policy,
                                        const sandbox::ListForms& forms);

}  // namespace atl::node
