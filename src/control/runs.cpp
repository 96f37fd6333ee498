#include "control/runs.hpp"

#include <algorithm>

#include "async/deadline.hpp"
#include "base/fault.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using Executed = Executions::Executed;

namespace {

constexpr double kMargin = 60;  // seconds that a session outlives its only execution

}  // namespace

struct Run::Session {
  Session(Runs* runs, Caller who, SessionId which)
      : owner(runs), caller(std::move(who)), id(std::move(which)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (!ended) owner->tasks_.spawn(owner->remove_session(caller, id));
  }
  Task<void> end() {
    ended = true;
    return owner->remove_session(caller, id);
  }

  Runs* owner;
  Caller caller;
  SessionId id;
  bool ended = false;
};

Run::Run() = default;
Run::Run(Run&&) noexcept = default;
Run::~Run() = default;

Task<Result<Executed>> Run::end() {
  if (replayed_) co_return std::move(*replayed_);
  ATOLL_CO_TRY(model::Execution row,
               co_await session_->owner->executions_.wait(execution_, async::kNoDeadline));
  fault::here("run.executed");
  co_await session_->end();
  co_return Executed{.value = std::move(row)};
}

// A session whose lifetime the request leaves open lives as long as its execution may need.
void Runs::outlive(RunRequest& request) const {
  std::optional<double> timeout = request.execution.timeout;
  std::optional<std::uint64_t>& lifetime = request.session.config.timeout_seconds;
  if (lifetime || !timeout) return;
  const SessionLimits& limits = maker_.limits();
  auto longest = static_cast<double>(executions_.limits().longest_time.count());
  double needed = (*timeout == 0 ? longest : *timeout) + kMargin;
  if (needed <= static_cast<double>(limits.timeout_seconds)) return;
  lifetime = std::min(limits.max_timeout_seconds, static_cast<std::uint64_t>(needed));
}

Task<Result<Executed>> Runs::run(Caller caller, RunRequest request, Once once) {
  if (once.earlier()) {
    co_return co_await executions_.executed_before(std::move(caller), *once.earlier());
  }
  ATOLL_CO_TRY(Run run,
               co_await start(std::move(caller), std::move(request), once.active(), &once));
  if (run.execution_->awaits()) {
    Executed accepted{.value = run.execution_->row, .state = model::MadeState::kAccepted};
    tasks_.spawn(end_later(std::move(run)));
    co_return accepted;
  }
  co_return co_await run.end();
}

// Whoever asked has been told that a person must decide.
Task<void> Runs::end_later(Run run) {
  Result<Executed> ended = co_await run.end();
  if (!ended) {
    log::warn("run_cleanup_failed", log::kv("execution_id", run.id().str()),
              log::kv("error", ended.error().to_string()));
  }
}

void Runs::adopt(LiveExecutionPtr execution) {
  Run run;
  const model::Session& row = execution->session->row;
  run.session_ = std::make_unique<Run::Session>(
      this, Caller{.tenant = row.tenant, .key_id = row.key_id}, row.id);
  run.id_ = execution->row.id;
  run.execution_ = std::move(execution);
  tasks_.spawn(end_later(std::move(run)));
}

Task<Result<Run>> Runs::begin(Caller caller, RunRequest request, Once once) {
  if (!once.earlier()) {
    co_return co_await start(std::move(caller), std::move(request), true, &once);
  }
  Run run;
  ATOLL_CO_TRY(run.replayed_,
               co_await executions_.executed_before(std::move(caller), *once.earlier()));
  run.id_ = run.replayed_->value.id;
  co_return run;
}

Task<Result<Run>> Runs::start(Caller caller, RunRequest request, bool told_early,
                              const Once* once) {
  outlive(request);
  request.session.one_shot = true;
  request.session.stored_late = !told_early && request.execution.context.empty();
  bool in_one_commit = request.session.stored_late;
  ATOLL_CO_TRY(SessionMaker::Begun begun,
               co_await maker_.begin_one(caller, std::move(request.session)));
  Run run;
  SessionId id = begun.session->row.id;
  run.session_ = std::make_unique<Run::Session>(this, caller, id);
  fault::here("run.created");
  ATOLL_CO_TRY(model::Session ready,
               co_await maker_.wait_ready(begun.session, async::deadline_in(kCreateWait)));
  if (ready.state == model::SessionState::kCreating) {
    co_return fail(Code::kCreateTimeout, "the sandbox was not ready in time");
  }
  ATOLL_CO_TRY(run.execution_,
               co_await executions_.start(std::move(caller), std::move(id),
                                          std::move(request.execution), told_early, once));
  run.execution_->ends_session = in_one_commit;
  if (once->active()) run.execution_->once.emplace(once->without_claim());
  run.id_ = run.execution_->row.id;
  co_return run;
}

Task<void> Runs::remove_session(Caller caller, SessionId id) {
  Result<void> removed = co_await ender_.remove(std::move(caller), id);
  if (!removed) log::warn("run_cleanup_failed", log::kv("session_id", id.str()));
}

Task<void> Runs::shut_down() { co_await tasks_.join(); }

}  // namespace atl::control
