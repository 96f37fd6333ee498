// A session that has a sandbox, or is about to: the row, what is behind it, and what runs in it.
// Shared by everybody who works with it; the sandbox outlives them all, but may be stopped.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "base/clock.hpp"
#include "contexts/contexts.hpp"
#include "control/caller.hpp"
#include "control/idempotency.hpp"
#include "control/spool.hpp"
#include "control/templates.hpp"
#include "control/tenants.hpp"
#include "model/approval.hpp"
#include "model/execution.hpp"
#include "model/execution_machine.hpp"
#include "model/session.hpp"
#include "model/session_machine.hpp"
#include "sandbox/sandbox.hpp"
#include "store/store.hpp"

namespace atl::control {

struct LiveSession;

// What was started as a program of its own: to list the running ones and to find one.
struct ProgramStarted {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // of the request
  std::string cwd;
  std::string label;
  bool terminal = false;
};

// An execution that waits or runs.
struct LiveExecution {
  LiveExecution(std::uint64_t kept, SpoolDisk disk)
      : spool(std::make_shared<Spool>(kept, std::move(disk))) {}

  model::Execution row;
  Caller caller;                       // who started it
  std::vector<store::AuditRow> audit;  // not written yet: goes with its row
  std::shared_ptr<LiveSession> session;
  std::shared_ptr<Spool> spool;
  std::shared_ptr<sandbox::Process> process;  // while a program of its own runs
  std::shared_ptr<contexts::RunPlace> place = std::make_shared<contexts::RunPlace>();  // in a
                                                                                       // context
  std::optional<Once> once;  // its result is what a repeated request gets
  model::RowInStore in_store = model::RowInStore::kNone;
  bool ends_session = false;                // the session ends with it, in the same commit
  bool input_open = false;                  // more of stdin may come
  ProgramStarted program;                   // without argv: code
  std::optional<model::Approval> approval;  // that it waits for, or had
  bool deciding = false;                    // a decision is being written: nobody else decides
  async::Event changed;                     // phase, process

  model::ExecutionPhase phase() const { return phase_; }
  bool cancelled() const { return model::is_cancelled(phase_); }
  bool done() const { return phase_ == model::ExecutionPhase::kDone; }  // final and written
  // False, and nothing changes, when the event is not allowed now.
  bool try_apply(model::ExecutionEvent event);
  // The same where anything but true is a bug, which is thrown.
  void apply(model::ExecutionEvent event);
  // It needs a person's word; before anything else.
  void set_awaiting();
  bool awaits() const { return phase_ == model::ExecutionPhase::kAwaiting; }

 private:
  model::ExecutionPhase phase_ = model::ExecutionPhase::kQueued;
};
using LiveExecutionPtr = std::shared_ptr<LiveExecution>;

struct LiveSession {
  model::Session row;
  std::optional<store::AuditRow> creation;  // until it is written, together with the row
  TemplatePtr origin;
  std::optional<SessionCost> cost;            // counted for its tenant until it is forgotten
  std::shared_ptr<sandbox::Sandbox> sandbox;  // null while it is being made, and after the end
  std::unique_ptr<contexts::Contexts> contexts;
  std::map<std::string, LiveExecutionPtr> executions;  // by id: queued and running
  std::map<int, ExecutionId> by_pid;  // of programs, the last that had it; those that ended too
  std::size_t running = 0;
  std::size_t users = 0;  // transfers, terminals, proxies: it is not idle
  std::chrono::steady_clock::time_point idle_since{};
  std::map<std::string, std::uint64_t> known_contexts;  // id to the interpreter that the store has
  std::string last_execution;
  std::string workspace;             // its folder on the host (Workspaces); empty: none
  bool touched = false;              // its files may have changed since they were saved
  bool saving = false;               // somebody saves them
  std::string trace_id, request_id;  // of the request that made it, for the log
  double usage_cpu_seconds = 0;      // at the last look
  std::chrono::steady_clock::time_point usage_at{};
  std::chrono::steady_clock::time_point seen_at = std::chrono::steady_clock::now();
  model::RowInStore in_store = model::RowInStore::kNone;  // kEnd: together with a result
  model::SessionState before_end{};  // what clients see until it is over and written
  std::optional<Error> end_failure;  // why the store was not told of its end
  async::Event changed;              // any of the above, and the phase

  model::SessionPhase phase() const { return phase_; }
  bool finding() const { return phase_ == model::SessionPhase::kFinding; }
  bool freezing() const { return model::is_freezing(phase_); }
  bool ending() const { return model::is_ending(phase_); }
  bool ended() const { return phase_ == model::SessionPhase::kEnded; }
  bool usable() const { return sandbox != nullptr && !ending(); }
  // False, and nothing changes, when the event is not allowed now. Otherwise row.state follows.
  // Waiters are notified by the caller, once the store has what they are to be told.
  bool try_apply(model::SessionEvent event);
  // The same where anything but true is a bug, which is thrown.
  void apply(model::SessionEvent event);
  // One of the last server; before anything else.
  void set_finding() { phase_ = model::SessionPhase::kFinding; }

 private:
  model::SessionPhase phase_ = model::SessionPhase::kMaking;
};
using LiveSessionPtr = std::shared_ptr<LiveSession>;

// While it lives the session counts as used.
class Use {
 public:
  Use(LiveSessionPtr session, const Clock& clock);
  Use(Use&& other) noexcept = default;
  Use& operator=(Use&&) = delete;
  ~Use();
  sandbox::Sandbox& sandbox() const { return *sandbox_; }
  const LiveSession& session() const { return *session_; }

 private:
  LiveSessionPtr session_;
  std::shared_ptr<sandbox::Sandbox> sandbox_;
  const Clock* clock_;
};

}  // namespace atl::control
