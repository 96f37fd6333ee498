// A request to execute as text, so that a server that was restarted can still carry it out. Pure.
#pragma once

#include <string>

#include "base/result.hpp"
#include "control/requests.hpp"

namespace atl::control {

std::string stored_request(ExecuteRequest request);
Result<ExecuteRequest> read_stored_request(const std::string& text);
// The same for requests that run the same: code or command, where and with what. Time-outs and what
// is kept of the output do not count.
std::string content_hash(ExecuteRequest request);

}  // namespace atl::control
