// Sends an execution as server-sent events while it runs, or what is left of it when it has ended.
// Whoever reads may go away at any time: the execution goes on.
#pragma once

#include "api/rest/call.hpp"
#include "api/rest/execution_events.hpp"

namespace atl::api::rest {

// From its beginning. Without `and_finish` the caller ends the answer.
Task<Answer<void>> stream_live(Call call, control::LiveExecutionPtr execution,
                               bool and_finish = true);
// By its id, from behind `after` (nullopt: the beginning).
Task<Answer<void>> stream_by_id(Call call, ExecutionId id, std::optional<StreamPosition> after);

}  // namespace atl::api::rest
