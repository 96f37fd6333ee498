// An approval as the body of an answer, and of a webhook. Pure.
#pragma once

#include "bodies/policy.hpp"
#include "model/approval.hpp"

namespace atl::api::rest {

// With as much of the request as listings show.
bodies::ApprovalBody approval_view(const model::ApprovalInfo& row);
// With all of it, while it waits.
bodies::ApprovalBody whole_approval_view(const model::Approval& row);

}  // namespace atl::api::rest
