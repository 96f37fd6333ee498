// Runs: a session, one execution in it, and its end, as one request. The session ends with the
// execution, also when the client gives up in the middle. On the I/O thread.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/executions.hpp"
#include "control/idempotency.hpp"
#include "control/requests.hpp"
#include "control/session_ender.hpp"
#include "control/session_maker.hpp"

namespace atl::control {

struct RunRequest {
  CreateRequest session;
  ExecuteRequest execution;
};

class Runs;

// One that is on its way. Its session ends when this is destroyed.
class Run {
 public:
  Run(Run&& other) noexcept;
  Run& operator=(Run&&) = delete;
  ~Run();

  const ExecutionId& id() const { return id_; }  // to follow it by
  // Until it has ended and its session is gone.
  async::Task<Result<Executions::Executed>> end();

 private:
  friend class Runs;
  struct Session;  // that is to be ended
  Run();

  ExecutionId id_;
  LiveExecutionPtr execution_;
  std::unique_ptr<Session> session_;              // none when an earlier request made it
  std::optional<Executions::Executed> replayed_;  // then this
};

class Runs {
 public:
  Runs(async::Executor executor, SessionMaker& maker, SessionEnder& ender, Executions& executions)
      : maker_(maker), ender_(ender), executions_(executions), tasks_(executor) {}

  // Its result is stored and its session gone when this returns. Without a key all of it is one
  // commit.
  async::Task<Result<Executions::Executed>> run(Caller caller, RunRequest request, Once once = {});
  // For a client that is told of it while it runs.
  async::Task<Result<Run>> begin(Caller caller, RunRequest request, Once once = {});
  // An execution of the last server whose session ends with it.
  void adopt(LiveExecutionPtr execution);
  async::Task<void> shut_down();

 private:
  friend class Run;
  // With `told_early` its rows are stored before it begins.
  async::Task<Result<Run>> start(Caller caller, RunRequest request, bool told_early,
                                 const Once* once);
  async::Task<void> end_later(Run run);
  void outlive(RunRequest& request) const;
  async::Task<void> remove_session(Caller caller, SessionId id);

  SessionMaker& maker_;
  SessionEnder& ender_;
  Executions& executions_;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
