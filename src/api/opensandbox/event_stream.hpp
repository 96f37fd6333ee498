// Executions that a client follows from their beginning.
#pragma once

#include "api/opensandbox/call.hpp"
#include "api/opensandbox/events.hpp"

namespace atl::api::opensandbox {

// Starts it in the session of the path and streams it until its end; with `background` only says
// that it has begun.
Task<Answer<void>> run_and_stream(Call call, control::ExecuteRequest request, EventText::Form form,
                                  bool background = false);

// The execution, if it is one of the session of the path.
Task<Answer<model::Execution>> find_execution(Call call, std::string id);

// The time-out of a request, in milliseconds there; absent or 0: the longest there is.
Answer<double> seconds_of(const std::optional<std::int64_t>& milliseconds);

}  // namespace atl::api::opensandbox
