// Starting executions, for every path that does: POST …/execute, its aliases, and POST /run.
#pragma once

#include <string>

#include "api/common/prefer.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/call.hpp"

namespace atl::api::rest {

// POST …/execute, and POST /execute with the session in the body.
Task<Answer<void>> execute(Call call);
Task<Answer<void>> execute_by_body(Call call);

Answer<control::ExecuteRequest> to_request(ExecuteBody body);
bool wants_events(const http::Headers& headers);

struct ExecuteAnswer {
  Prefer prefer;
  bool events = false;  // a stream
};
// Answers with a stream, the result (200), or 202. `text` is the body that `request` was made of.
Task<Answer<void>> execute_as_asked(Call call, SessionId session, control::ExecuteRequest request,
                                    std::string text, ExecuteAnswer asked);

// 200 with the result, or 202 without it.
struct ResultAnswer {
  http::Headers headers = {};
  bool as_text = false;  // the result as a tool shows it, instead of JSON
};
Task<Answer<void>> respond_executed(Call call, control::Executions::Executed executed,
                                    ResultAnswer how = {});

}  // namespace atl::api::rest
