// Executions: one run of code or of a command each. A session runs a few at once and the others in
// order; every one passes decide() first, and some wait for a person then; a result is stored
// before anybody is told of its end.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/approvals.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/decide.hpp"
#include "control/events.hpp"
#include "control/execution_feed.hpp"
#include "control/idempotency.hpp"
#include "control/journal.hpp"
#include "control/live_session.hpp"
#include "control/requests.hpp"
#include "control/session_watch.hpp"
#include "control/sessions.hpp"
#include "control/workspace_copies.hpp"
#include "store/store.hpp"

namespace atl::control {

struct ContextView {
  ContextId id;
  std::string language;
  std::string cwd;
  std::string version;
  bool is_default = false;
  bool running = false;
  std::size_t waiting = 0;
};

struct RunningProgram {
  ExecutionId id;
  int pid = 0;
  ProgramStarted program;
};

// What holds for executions that do not say, and what they may ask for.
struct ExecutionLimits {
  std::size_t at_once = 8;    // in one session
  std::size_t waiting = 100;  // in one session; beyond: kResourceExhausted
  std::chrono::seconds command_time{60};
  std::chrono::seconds code_time{30};
  std::chrono::seconds test_time{60};
  std::chrono::seconds longest_time{24 * 3600};
  std::uint64_t output_bytes = 10ull << 20;    // kept of each stream, and what may be asked for
  std::chrono::milliseconds patience{10'000};  // with a guest that does not keep its time
};

// What executions ask of sessions: where they are, to save their files, to look after a guest.
struct ExecutionSessions {
  Sessions& table;
  WorkspaceCopies& copies;
  SessionWatch& watch;
  Decider& decider;
  Approvals& approvals;
};

class Executions {
 public:
  Executions(const SessionShared& shared, ExecutionSessions sessions, Audit& audit,
             Journals journals, ExecutionLimits limits);
  ~Executions();

  // Begins, or queues, and waits for its end until `wait_until`. kDone: it has ended, and its
  // result is stored. kAccepted: it has not ended, and its row is stored, so that a client can be
  // told of it; without its output.
  using Executed = Outcome<model::Execution>;
  async::Task<Result<Executed>> execute(Caller caller, SessionId id, ExecuteRequest request,
                                        std::optional<async::Deadline> wait_until, Once once = {});
  // For a repeated request.
  async::Task<Result<Executed>> executed_before(Caller caller, model::Made made);

  // Begins, or queues, without a wait and without a write of its own: for clients that follow it on
  // the connection that asked for it. Its row is written with its end, or when it runs for long.
  async::Task<Result<ExecutionId>> begin(Caller caller, SessionId id, ExecuteRequest request);

  // The parts of execute(), for runs. With `stored` its row is in the store when this returns,
  // together with `once`; otherwise the only write is the one of its end, which wait() waits for.
  async::Task<Result<LiveExecutionPtr>> start(Caller caller, SessionId id, ExecuteRequest request,
                                              bool stored, const Once* once = nullptr);
  // Its row is in the store when this returns, with `once`, and its output outlives a crash:
  // before a client is told of one that runs.
  async::Task<Result<void>> keep(LiveExecutionPtr execution, const Once* once = nullptr);
  // Until it has ended and is stored, or the deadline: the row as it is then, with its output.
  async::Task<Result<model::Execution>> wait(LiveExecutionPtr execution, async::Deadline deadline);

  // kNotFound, also for another tenant's. With its output so far while it runs.
  async::Task<Result<model::Execution>> get(Caller caller, ExecutionId id);
  async::Task<Result<std::vector<model::Execution>>> list(Caller caller, SessionId id,
                                                          store::Page page, bool with_output);
  // Its output from behind event `after` (0: from the beginning) while it runs; all of it when it
  // has ended. kNotFound as get().
  async::Task<Result<std::unique_ptr<ExecutionFeed>>> follow(Caller caller, ExecutionId id,
                                                             std::uint64_t after);
  // Interrupt, and kill when that does not help within two seconds.
  async::Task<Result<void>> cancel(Caller caller, ExecutionId id);
  async::Task<Result<void>> write_stdin(Caller caller, ExecutionId id, std::string bytes,
                                        bool close);
  async::Task<Result<void>> signal(Caller caller, ExecutionId id, int number);
  // kConflict for one without a terminal.
  async::Task<Result<void>> resize(Caller caller, ExecutionId id, TerminalSize size);
  // Those that run in a session and were started with argv.
  async::Task<Result<std::vector<RunningProgram>>> programs(Caller caller, SessionId id);
  // The execution that has, or was the last to have, this process id in the sandbox. kNotFound.
  async::Task<Result<ExecutionId>> of_process(Caller caller, SessionId id, int pid);
  // Until its process is there. Null, without an error: it ended without one.
  async::Task<Result<std::optional<int>>> pid_of(Caller caller, ExecutionId id);

  async::Task<Result<Outcome<ContextView>>> open_context(Caller caller, SessionId id,
                                                         OpenContextRequest request,
                                                         Once once = {});
  async::Task<Result<std::vector<ContextView>>> contexts(Caller caller, SessionId id);
  // A fresh interpreter in the place of this one: what was defined is gone. An execution that runs
  // in it fails.
  async::Task<Result<ContextView>> restart_context(Caller caller, SessionId id, ContextId context);
  async::Task<Result<void>> close_context(Caller caller, SessionId id, ContextId context);

  const Journals& journals() const { return journals_; }
  const ExecutionLimits& limits() const { return limits_; }
  std::uint64_t started_total() const { return started_total_; }
  std::uint64_t failed_total() const { return failed_total_; }
  // Marks what the last server left queued or running as failed, for all clients: before
  // anything is started. store_left() then writes it down, until the store has taken all of it.
  async::Task<Result<void>> load_left();
  async::Task<void> store_left();
  // What the last server left waiting for approval waits on, where its session lives. After the
  // sessions were loaded. Those whose session is to end with them are returned.
  async::Task<Result<std::vector<LiveExecutionPtr>>> load_waiting();
  // For ever: what runs longer than a moment is recorded while it runs.
  async::Task<void> record_slow();
  async::Task<void> shut_down();

 private:
  model::Time now() const;
  // Null when it has ended: get() has it all then.
  async::Task<Result<LiveExecutionPtr>> live(Caller caller, ExecutionId id);
  SpoolDisk disk_for(const ExecutionId& id) const;
  std::chrono::milliseconds time_of(const ExecuteRequest& request) const;
  void publish(const LiveExecution& execution, std::string event);
  void forget(LiveExecution& execution);
  static void remember_process(const LiveExecution& execution);
  void settle(LiveExecution& execution, const Result<void>& outcome);
  model::Execution so_far(const LiveExecution& execution) const;
  async::Task<Result<LiveExecutionPtr>> wait_on(ExecutionId id);
  void fail_left(model::Execution& row) const;
  // A row of the store that nothing runs for.
  async::Task<Result<model::Execution>> as_ended(model::Execution row, bool with_output);
  async::Task<Result<void>> store_some_left();
  async::Task<Result<void>> turn(LiveExecutionPtr execution);
  async::Task<void> carry_out(LiveExecutionPtr execution, ExecuteRequest request);
  async::Task<Result<void>> run_in_time(LiveExecutionPtr execution, ExecuteRequest* request);
  async::Task<Result<void>> run(LiveExecutionPtr execution, ExecuteRequest* request);
  async::Task<Result<void>> run_program(LiveExecutionPtr execution, ExecuteRequest* request);
  async::Task<Result<void>> run_in_context(LiveExecutionPtr execution, ExecuteRequest* request);
  void add_end(const LiveExecution& execution, std::vector<store::AuditRow>& audit);
  async::Task<void> conclude(LiveExecutionPtr execution);
  async::Task<Result<ContextId>> context_of(LiveSessionPtr session, ExecuteRequest* request);
  async::Task<Result<void>> remember_context(LiveSessionPtr session, ContextId id,
                                             const Once* once = nullptr);
  async::Task<Result<Outcome<ContextView>>> opened_before(Caller caller, SessionId id,
                                                          model::Made made);

  const SessionShared& shared_;
  Sessions& sessions_;
  WorkspaceCopies& copies_;
  SessionWatch& watch_;
  Decider& decider_;
  Approvals& approvals_;
  Audit& audit_;
  Journals journals_;
  ExecutionLimits limits_;
  std::map<std::string, LiveExecutionPtr> live_;
  std::set<std::string> left_;  // of the last server; the store does not know their end yet
  std::uint64_t started_total_ = 0;
  std::uint64_t failed_total_ = 0;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
