// POST /run: a session, one execution in it, and its end, in one call.
#include <utility>

#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/execute.hpp"
#include "api/rest/execution_stream.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/session_body.hpp"

namespace atl::api::rest {

namespace {

// The stream ends when the session is gone.
Task<Answer<void>> run_and_stream(Call call, control::RunRequest request, control::Once once) {
  ATOLL_CO_TRY(control::Run run, co_await call.control().runs().begin(
                                     call.caller, std::move(request), std::move(once)));
  Answer<void> streamed = co_await stream_by_id(call, run.id(), std::nullopt, false);
  ATOLL_CO_CHECK(co_await run.end());
  (void)co_await call.exchange->finish();
  co_return streamed;
}

Task<Answer<void>> run_once(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call));
  ATOLL_CO_TRY(RunBody body, decode_body<RunBody>(text));
  control::RunRequest request;
  ATOLL_CO_TRY(request.session, session_of(body));
  ATOLL_CO_TRY(request.execution, to_request(ExecuteBody(std::move(body))));
  if (request.execution.stdin_open) {
    co_return refuse_value("/stdin_open", "makes no sense in one call");
  }
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  if (wants_events(call.request().headers)) {
    co_return co_await run_and_stream(call, std::move(request), std::move(once));
  }
  ATOLL_CO_TRY(
      control::Executions::Executed ran,
      co_await call.control().runs().run(call.caller, std::move(request), std::move(once)));
  co_return co_await respond_executed(call, std::move(ran));
}

}  // namespace

void add_run(Routes& routes) {
  routes.add(http::Method::kPost, "/run", "run", Access::kWriter, run_once);
}

}  // namespace atl::api::rest
