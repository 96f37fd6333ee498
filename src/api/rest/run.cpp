// POST /run: a session, one execution in it, and its end, in one call.
#include <algorithm>
#include <utility>

#include "api/limits.hpp"
#include "api/prefer.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/execute.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/execution_stream.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/sessions.hpp"
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
                             control::ExecuteRequest request, Once once) {
  bool streams = accepts(call.request().headers, "text/event-stream");
  session.one_shot = true;
  // A stream names it at its beginning, and a repeated request must not run it again.
  bool known_early = once.active() || streams;
  session.stored_late = !known_early && request.context.empty();
  bool in_one_commit = session.stored_late;
  auto created = co_await call.control().sessions().create(call.caller, std::move(session));
  if (!created) co_return std::unexpected<Refusal>(std::move(created).error());
  SessionId id = created->session->row.id;
  Disposal disposal(call, id);
  fault::here("run.created");
  ATOLL_CO_TRY(model::Session ready,
               co_await wait_until_ready(call, created->session, async::deadline_in(kCreateWait)));
  if (ready.state == model::SessionState::kCreating) {
    co_return refuse(Code::kCreateTimeout, "the sandbox was not ready in time");
  }
  control::Executions& executions = call.control().executions();
  KeepAnswer keep = keep_answer(call, once);
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await executions.start(call.caller, id, std::move(request), known_early,
                                         keep_accepted(keep)));
  execution->ends_session = in_one_commit;
  if (once.active()) executions.at_end(execution, keep_result(keep));
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

Task<Answer<void>> run_once(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call));
  ATOLL_CO_TRY(RunBody body, decode_body<RunBody>(text));
  ATOLL_CO_TRY(control::CreateRequest session, session_of(body));
  ATOLL_CO_TRY(control::ExecuteRequest request, to_request(ExecuteBody(std::move(body))));
  if (request.stdin_open) co_return refuse_value("/stdin_open", "makes no sense in one call");
  outlive(call.control(), session.config, request);
  ATOLL_CO_TRY(Once once, co_await begin_once(call, std::move(text)));
  if (once.earlier) co_return co_await answer_again(call, std::move(*once.earlier));
  co_return co_await carry_out(call, std::move(session), std::move(request), std::move(once));
}

}  // namespace

void add_run(Routes& routes) { routes.add(http::Method::kPost, "/run", "run", run_once); }

}  // namespace atl::api::rest
