// Sends an execution as server-sent events while it runs, or what is left of it when it has ended.
// Whoever reads may go away at any time: the execution goes on.
#pragma once

#include "api/rest/call.hpp"
#include "api/rest/execution_events.hpp"

namespace atl::api::rest {

// From behind `after` (nullopt: the beginning). Without `and_finish` the caller ends the answer.
Task<Answer<void>> stream_by_id(Call call, ExecutionId id, std::optional<StreamPosition> after,
                                bool and_finish = true);

}  // namespace atl::api::rest
