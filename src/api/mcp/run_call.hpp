// A call and its stream: carries the call out while its client waits, tells the client what there
// is to tell, and gives the call up when the client leaves or cancels it.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "api/mcp/call.hpp"

namespace atl::api::mcp {

// A whole answer as JSON.
Task<void> respond(http::Exchange* exchange, int status, boost::json::value body,
                   std::string session_id = {});

// The exchange outlives it.
Task<void> run_call(CallPtr call, http::Exchange* exchange);

}  // namespace atl::api::mcp
