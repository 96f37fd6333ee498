#include "api/rest/execute.hpp"

#include <utility>

#include "api/common/limits.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/execution_stream.hpp"
#include "api/rest/once.hpp"
#include "api/rest/views.hpp"
#include "base/fault.hpp"

namespace atl::api::rest {

namespace {

using control::Executions;
using model::MadeState;

// Somebody who takes JSON as well gets JSON.
bool wants_text(const http::Headers& headers) {
  return accepts(headers, "text/plain") && !accepts(headers, "application/json");
}

Task<Answer<http::Response>> text_response(Call call, model::Execution row) {
  http::Response response{.status = 200};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  ATOLL_CO_TRY(response.body, co_await execution_text(call, std::move(row)));
  co_return response;
}

Task<Answer<void>> respond(Call call, http::Response response) {
  fault::here("answer.ready");
  (void)co_await call.exchange->respond(std::move(response));
  fault::here("answer.sent");
  co_return Answer<void>();  // an Error was a client that went away
}

}  // namespace

bool wants_events(const http::Headers& headers) { return accepts(headers, "text/event-stream"); }

Task<Answer<void>> respond_executed(Call call, Executions::Executed executed, ResultAnswer how) {
  http::Headers headers = std::move(how.headers);
  if (executed.replayed) headers.set("Idempotency-Replayed", "true");
  bool ended = executed.state != MadeState::kAccepted;
  if (ended && !how.as_text) {
    co_return co_await respond_execution(call, std::move(executed.value), std::move(headers));
  }
  headers.set("Location", "/api/v1/executions/" + executed.value.id.str());
  http::Response response;
  if (ended) {
    ATOLL_CO_TRY(response, co_await text_response(call, std::move(executed.value)));
  } else {
    response = json_response(202, execution_view(executed.value, false));
  }
  for (const auto& [name, value] : headers) response.headers.set(name, value);
  co_return co_await respond(call, std::move(response));
}

Task<Answer<void>> execute_as_asked(Call call, SessionId session, control::ExecuteRequest request,
                                    std::string text, ExecuteAnswer asked) {
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  std::optional<async::Deadline> until;
  if (asked.prefer.wait && !asked.events) {
    until = async::deadline_in(asked.prefer.seconds.value_or(kMaxWait));
  }
  ATOLL_CO_TRY(Executions::Executed executed,
               co_await call.control().executions().execute(
                   call.caller, std::move(session), std::move(request), until, std::move(once)));
  if (asked.events) co_return co_await stream_by_id(call, executed.value.id, std::nullopt);
  ResultAnswer how{.as_text = wants_text(call.request().headers)};
  if (until && executed.state == MadeState::kDone) how.headers.set("Preference-Applied", "wait");
  co_return co_await respond_executed(call, std::move(executed), std::move(how));
}

}  // namespace atl::api::rest
