#include "api/rest/execute.hpp"

#include <utility>

#include "api/limits.hpp"
#include "api/prefer.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/execution_stream.hpp"
#include "api/rest/views.hpp"
#include "base/fault.hpp"

namespace atl::api::rest {

namespace {

using control::Executions;
using control::LiveExecutionPtr;

constexpr std::string_view kEventStream = "text/event-stream";

std::string accepted_body(const model::Execution& row) {
  return codec::serialize(execution_view(row, false));
}

http::Response accepted(const model::Execution& row) {
  http::Response response = json_text_response(202, accepted_body(row));
  response.headers.add("Location", "/api/v1/executions/" + row.id.str());
  return response;
}

// Somebody who takes JSON as well gets JSON.
bool wants_text(const http::Headers& headers) {
  return accepts(headers, "text/plain") && !accepts(headers, "application/json");
}

Task<Answer<http::Response>> text_response(Call call, model::Execution row) {
  http::Response response{.status = 200};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("Location", "/api/v1/executions/" + row.id.str());
  ATOLL_CO_TRY(response.body, co_await execution_text(call, std::move(row)));
  co_return response;
}

}  // namespace

Executions::ExtraChanges keep_accepted(KeepAnswer keep) {
  return [keep = std::move(keep)](const model::Execution& row) {
    return keep(202, accepted_body(row), row.id.str());
  };
}

Executions::ExtraChanges keep_result(KeepAnswer keep) {
  return [keep = std::move(keep)](const model::Execution& row) {
    // A large one is given again from the execution itself.
    std::string body = row.output.large ? "" : codec::serialize(execution_view(row));
    return keep(200, std::move(body), row.id.str());
  };
}

Task<Answer<void>> respond(Call call, http::Response response) {
  fault::here("answer.ready");
  (void)co_await call.exchange->respond(std::move(response));
  fault::here("answer.sent");
  co_return Answer<void>();  // an Error was a client that went away
}

Task<Answer<void>> execute_and_wait(Call call, SessionId id, control::ExecuteRequest request,
                                    Once once, std::optional<std::chrono::seconds> seconds) {
  async::Deadline deadline = async::deadline_in(seconds.value_or(kMaxWait));
  Executions& executions = call.control().executions();
  KeepAnswer keep = keep_answer(call, once);
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await executions.start(call.caller, std::move(id), std::move(request),
                                         once.active(), keep_accepted(keep)));
  if (once.active()) executions.at_end(execution, keep_result(keep));
  ATOLL_CO_TRY(model::Execution row, co_await executions.wait(execution, deadline));
  if (!execution->done && model::is_final(execution->row.state)) {
    ATOLL_CO_TRY(row, co_await executions.wait(execution, async::deadline_in(kStoreWait)));
  }
  if (!execution->done && model::is_final(execution->row.state)) {
    co_return refuse(Code::kNoAvailableRuntime, "execution " + execution->row.id.str() +
                                                    " has ended, but the store is away: ask later");
  }
  if (!execution->done) {
    // The client is about to be told of it. Its end has not begun to be written as long as the
    // state is not final, and writes keep their order.
    ATOLL_CO_CHECK(co_await executions.keep(execution, {}));
    fault::here("execute.kept");
    co_return co_await respond(call, accepted(execution->row));
  }
  if (!wants_text(call.request().headers)) {
    co_return co_await respond_execution(call, std::move(row), {{"Preference-Applied", "wait"}});
  }
  ATOLL_CO_TRY(http::Response response, co_await text_response(call, std::move(row)));
  response.headers.add("Preference-Applied", "wait");
  co_return co_await respond(call, std::move(response));
}

Task<Answer<void>> execute_and_go(Call call, SessionId id, control::ExecuteRequest request,
                                  Once once) {
  KeepAnswer keep = keep_answer(call, once);
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await call.control().executions().start(
                   call.caller, std::move(id), std::move(request), true, keep_accepted(keep)));
  co_return co_await respond(call, accepted(execution->row));
}

Task<Answer<void>> execute_and_stream(Call call, SessionId id, control::ExecuteRequest request,
                                      Once once) {
  KeepAnswer keep = keep_answer(call, once);
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await call.control().executions().start(
                   call.caller, std::move(id), std::move(request), true, keep_accepted(keep)));
  once.running.reset();  // whoever repeats the request may read along
  co_return co_await stream_live(call, std::move(execution));
}

Task<Answer<void>> execute_as_asked(Call call, SessionId id, control::ExecuteRequest request,
                                    Once once) {
  const http::Headers& headers = call.request().headers;
  if (accepts(headers, kEventStream)) {
    co_return co_await execute_and_stream(call, std::move(id), std::move(request), std::move(once));
  }
  if (Prefer prefer = parse_prefer(headers); prefer.wait) {
    co_return co_await execute_and_wait(call, std::move(id), std::move(request), std::move(once),
                                        prefer.seconds);
  }
  co_return co_await execute_and_go(call, std::move(id), std::move(request), std::move(once));
}

Task<Answer<void>> answer_again(Call call, store::IdempotencyRow earlier) {
  if (accepts(call.request().headers, kEventStream) && !earlier.made.empty()) {
    co_return co_await stream_by_id(call, ExecutionId(earlier.made), std::nullopt);
  }
  if (earlier.status == 200 && earlier.answer.empty()) {
    ATOLL_CO_TRY(model::Execution row,
                 co_await call.control().executions().get(call.caller, ExecutionId(earlier.made)));
    co_return co_await respond_execution(call, std::move(row), {{"Idempotency-Replayed", "true"}});
  }
  ATOLL_CO_TRY(http::Response response, replay(earlier));
  co_return co_await respond(call, std::move(response));
}

}  // namespace atl::api::rest
