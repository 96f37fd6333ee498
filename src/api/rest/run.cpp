// POST /run: a session, one execution in it, and its end, in one call.
#include <algorithm>
#include <utility>

#include "api/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/execute.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/execution_stream.hpp"
#include "api/rest/once.hpp"
#include "api/rest/routes.hpp"
#include "base/fault.hpp"
#include "observe/log.hpp"

namespace atl::api::rest {

namespace {

using control::LiveExecutionPtr;

constexpr double kMargin = 60;  // seconds that a session outlives its only execution

Task<void> remove_session(RestPtr rest, control::Caller caller, SessionId id) {
  Result<void> removed = co_await rest->control.sessions().remove(std::move(caller), id);
  if (!removed) log::warn("run_cleanup_failed", log::kv("session_id", id.str()));
}

// The session ends, also when the request is given up in the middle.
class Disposal {
 public:
  Disposal(const Call& call, SessionId id)
      : rest_(call.rest), caller_(call.caller), id_(std::move(id)) {}
  Disposal(const Disposal&) = delete;
  Disposal& operator=(const Disposal&) = delete;
  ~Disposal() {
    if (!done_) rest_->tasks.spawn(remove_session(rest_, caller_, id_));
  }
  Task<void> now() {
    done_ = true;
    return remove_session(rest_, caller_, id_);
  }

 private:
  RestPtr rest_;
  control::Caller caller_;
  SessionId id_;
  bool done_ = false;
};

void outlive(control::Control& control, control::ConfigRequest& config,
             const control::ExecuteRequest& request) {
  if (config.timeout_seconds || !request.timeout) return;
  const control::SessionLimits& limits = control.sessions().limits();
  double longest = static_cast<double>(control.executions().limits().longest_time.count());
  double needed = (*request.timeout == 0 ? longest : *request.timeout) + kMargin;
  if (needed <= static_cast<double>(limits.timeout_seconds)) return;
  config.timeout_seconds = std::min(limits.max_timeout_seconds, static_cast<std::uint64_t>(needed));
}

Task<Answer<void>> carry_out(Call call, control::CreateRequest session,
                             control::ExecuteRequest request, control::Once once) {
  bool streams = wants_events(call.request().headers);
  session.one_shot = true;
  // A stream names it at its beginning, and a repeated request must not run it again.
  bool known_early = once.active() || streams;
  session.stored_late = !known_early && request.context.empty();
  bool in_one_commit = session.stored_late;
  control::Sessions& sessions = call.control().sessions();
  ATOLL_CO_TRY(control::Sessions::Begun created,
               co_await sessions.begin_one(call.caller, std::move(session)));
  SessionId id = created.session->row.id;
  Disposal disposal(call, id);
  fault::here("run.created");
  ATOLL_CO_TRY(model::Session ready,
               co_await sessions.wait_ready(created.session, async::deadline_in(kCreateWait)));
  if (ready.state == model::SessionState::kCreating) {
    co_return refuse(Code::kCreateTimeout, "the sandbox was not ready in time");
  }
  control::Executions& executions = call.control().executions();
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await executions.start(call.caller, id, std::move(request), known_early, &once));
  execution->ends_session = in_one_commit;
  if (once.active()) execution->once.emplace(once.without_claim());
  if (streams) {
    Answer<void> streamed = co_await stream_live(call, execution, false);
    ATOLL_CO_TRY(model::Execution ended, co_await executions.wait(execution, async::kNoDeadline));
    co_await disposal.now();
    (void)co_await call.exchange->finish();
    co_return streamed;
  }
  ATOLL_CO_TRY(model::Execution row, co_await executions.wait(execution, async::kNoDeadline));
  fault::here("run.executed");
  co_await disposal.now();
  co_return co_await respond_execution(call, std::move(row));
}

Task<Answer<void>> answer_again(Call call, model::Made made) {
  ATOLL_CO_TRY(control::Executions::Executed executed,
               co_await call.control().executions().executed_before(call.caller, std::move(made)));
  if (wants_events(call.request().headers)) {
    co_return co_await stream_by_id(call, executed.value.id, std::nullopt);
  }
  co_return co_await respond_executed(call, std::move(executed));
}

Task<Answer<void>> run_once(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call));
  ATOLL_CO_TRY(RunBody body, decode_body<RunBody>(text));
  ATOLL_CO_TRY(control::CreateRequest session, session_of(body));
  ATOLL_CO_TRY(control::ExecuteRequest request, to_request(ExecuteBody(std::move(body))));
  if (request.stdin_open) co_return refuse_value("/stdin_open", "makes no sense in one call");
  outlive(call.control(), session.config, request);
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  if (once.earlier()) co_return co_await answer_again(call, *once.earlier());
  co_return co_await carry_out(call, std::move(session), std::move(request), std::move(once));
}

}  // namespace

void add_run(Routes& routes) { routes.add(http::Method::kPost, "/run", "run", run_once); }

}  // namespace atl::api::rest
