// What a session is to be: the template's word, the request's within it, and the defaults.
#pragma once

#include "base/result.hpp"
#include "control/requests.hpp"
#include "control/session_shared.hpp"
#include "model/template.hpp"

namespace atl::control {

// kInvalidValue for more than the template has.
Result<model::SessionConfig> settle_config(const model::Template& origin,
                                           const ConfigRequest& request,
                                           const SessionLimits& limits);

}  // namespace atl::control
