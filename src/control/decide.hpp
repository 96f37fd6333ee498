// The one point that every execution passes. Roles, risk and approvals are asked here.
#pragma once

#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/live_session.hpp"
#include "control/requests.hpp"

namespace atl::control {

// kDangerousCommand for what is never run (contract §6), kForbidden for who may not run anything.
Result<void> decide(const Caller& caller, const LiveSession& session,
                    const ExecuteRequest& request);

}  // namespace atl::control
