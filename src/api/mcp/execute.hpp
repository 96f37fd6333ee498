// Executions for a call: started, watched, and ended with the call.
#pragma once

#include <string>

#include "api/mcp/call.hpp"
#include "api/mcp/result.hpp"
#include "control/requests.hpp"
#include "model/execution.hpp"

namespace atl::api::mcp {

// Until it has ended, with its output; with progress for a client that asked for it. `seconds` is
// its time-out.
Task<Answer<model::Execution>> execute_and_wait(CallPtr call, SessionId session,
                                                control::ExecuteRequest request, double seconds);

// The time-out that a client asks for, or the default: a number the server allows.
Answer<double> timeout_or(const Call& call, std::optional<double> given,
                          std::chrono::seconds absent);

// Of an execution that has ended or runs: status, summary and data, with its output from these
// offsets.
struct Shown {
  std::uint64_t out_from = 0;
  std::uint64_t err_from = 0;
  double seconds = 0;  // its time-out; 0: not known
  bool with_results = false;
};
Task<Answer<ToolResult>> execution_result(CallPtr call, const model::Execution* row, Shown shown);

}  // namespace atl::api::mcp
