// Starting executions, for every path that does: POST …/execute, its aliases, and POST /run.
#pragma once

#include <chrono>
#include <optional>

#include "api/rest/call.hpp"
#include "api/rest/once.hpp"

namespace atl::api::rest {

// Answers 200 with the result, or 202 when it has not ended in `seconds` (none: kMaxWait).
Task<Answer<void>> execute_and_wait(Call call, SessionId id, control::ExecuteRequest request,
                                    Once once, std::optional<std::chrono::seconds> seconds);
// Answers 202 at once.
Task<Answer<void>> execute_and_go(Call call, SessionId id, control::ExecuteRequest request,
                                  Once once);
Task<Answer<void>> execute_and_stream(Call call, SessionId id, control::ExecuteRequest request,
                                      Once once);
// By what the client asked for: Accept and Prefer.
Task<Answer<void>> execute_as_asked(Call call, SessionId id, control::ExecuteRequest request,
                                    Once once);
// The earlier answer to this key, or the stream of what it started.
Task<Answer<void>> answer_again(Call call, store::IdempotencyRow earlier);

Task<Answer<void>> respond(Call call, http::Response response);

// What a repeated request is told: that it was accepted; later, the result.
control::Executions::ExtraChanges keep_accepted(KeepAnswer keep);
control::Executions::ExtraChanges keep_result(KeepAnswer keep);

}  // namespace atl::api::rest
