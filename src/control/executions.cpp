#include "control/executions.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "base/fault.hpp"
#include "codec/json.hpp"
#include "codec/names.hpp"
#include "control/file_changes.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;
using model::ExecutionEvent;
using model::ExecutionPhase;
using model::ExecutionState;
using model::RowInStore;

namespace {

constexpr int kWriteAttempts = 5;
constexpr std::chrono::milliseconds kWriteAgain{200};
constexpr std::chrono::milliseconds kMoment{250};

}  // namespace

Executions::Executions(const SessionShared& shared, ExecutionSessions sessions, Audit& audit,
                       Journals journals, ExecutionLimits limits)
    : shared_(shared),
      sessions_(sessions.table),
      copies_(sessions.copies),
      watch_(sessions.watch),
      decider_(sessions.decider),
      approvals_(sessions.approvals),
      audit_(audit),
      journals_(std::move(journals)),
      limits_(limits),
      tasks_(shared.executor) {}

Executions::~Executions() = default;

model::Time Executions::now() const { return shared_.clock.now(); }

void Executions::publish(const LiveExecution& execution, std::string event) {
  const model::Execution& row = execution.row;
  log::debug(event, log::kv("session_id", row.session_id.str()),
             log::kv("execution_id", row.id.str()));
  shared_.events.publish({.event = std::move(event),
                          .tenant = row.tenant,
                          .session_id = row.session_id.str(),
                          .execution_id = row.id.str(),
                          .status = codec::enum_name(row.state),
                          .time = now()});
}

void Executions::forget(LiveExecution& execution) {
  approvals_.forget(execution);
  std::string id = execution.row.id.str();
  execution.session->executions.erase(id);
  execution.session->changed.notify_all();
  if (live_.erase(id) > 0) shared_.tenants.give_execution(execution.row.tenant);
}

// First come, first served, a few at once; and not before the sandbox is there.
Task<Result<void>> Executions::turn(LiveExecutionPtr execution) {
  LiveSession& session = *execution->session;
  auto is_next = [&] {
    if (!session.usable() || session.running >= limits_.at_once) return false;
    for (const auto& [id, other] : session.executions) {
      if (other->row.state == ExecutionState::kQueued) return other == execution;
    }
    return false;
  };
  while (!is_next()) {
    if (session.ending()) co_return fail(Code::kCancelled, "the session has ended");
    if (execution->cancelled()) co_return fail(Code::kCancelled, "cancelled before it began");
    co_await session.changed.wait();
  }
  co_return Result<void>();
}

Task<void> Executions::carry_out(LiveExecutionPtr execution, ExecuteRequest request) {
  Result<void> outcome = co_await approvals_.until_decided(execution);
  if (outcome) outcome = co_await turn(execution);
  if (outcome) {
    LiveSession& session = *execution->session;
    sessions_.began(session);
    execution->apply(ExecutionEvent::kBegin);
    execution->row.started_at = now();
    std::chrono::steady_clock::time_point began = shared_.clock.steady();
    publish(*execution, "execution_started");
    execution->changed.notify_all();
    session.changed.notify_all();  // the next in the queue
    outcome = co_await run_in_time(execution, &request);
    execution->row.duration_ms = static_cast<std::uint64_t>(
        std::chrono::round<std::chrono::milliseconds>(shared_.clock.steady() - began).count());
    if (!session.ending()) co_await copies_.save(execution->session);
    sessions_.finished(session);
  }
  settle(*execution, outcome);
  fault::here("execute.ended");
  co_await conclude(execution);
}

// The guest keeps the time. This is for one that does not, because it was stopped from outside.
Task<Result<void>> Executions::run_in_time(LiveExecutionPtr execution, ExecuteRequest* request) {
  async::Deadline deadline = async::deadline_in(time_of(*request) + limits_.patience);
  Result<void> outcome =
      co_await async::with_deadline(run(execution, request), deadline, Code::kExecTimeout, "");
  if (outcome || std::chrono::steady_clock::now() < deadline) co_return outcome;
  (void)execution->try_apply(ExecutionEvent::kTimeUp);
  watch_.suspect(execution->session);
  co_return Result<void>();
}

Task<Result<void>> Executions::run(LiveExecutionPtr execution, ExecuteRequest* request) {
  std::shared_ptr<sandbox::Sandbox> sandbox = execution->session->sandbox;
  FileMap before;
  if (request->track_files) {
    ATOLL_CO_TRY(before, co_await workspace_files(sandbox));
  }
  Result<void> outcome = co_await (request->context.empty() ? run_program(execution, request)
                                                            : run_in_context(execution, request));
  if (request->track_files && outcome) {
    ATOLL_CO_TRY(FileMap after, co_await workspace_files(sandbox));
    execution->row.files_json = file_changes_json(before, after);
  }
  co_return outcome;
}

// The final state, from what is known of its end.
void Executions::settle(LiveExecution& execution, const Result<void>& outcome) {
  model::Execution& row = execution.row;
  bool cancelled = execution.cancelled() || execution.session->ending();
  bool refused = execution.phase() == ExecutionPhase::kRefused;
  bool timed_out = execution.phase() == ExecutionPhase::kTimedOut;
  execution.apply(ExecutionEvent::kFinish);
  if (!outcome) {
    row.error_code = std::string(code_name(outcome.error().code()));
    row.error_message = outcome.error().message();
  }
  if (refused) {
    row.state = ExecutionState::kRejected;
  } else if (cancelled) {
    row.state = ExecutionState::kCancelled;
    if (row.error_code.empty()) row.error_code = std::string(code_name(Code::kCancelled));
    if (row.error_message.empty()) row.error_message = "it was cancelled";
  } else if (!outcome) {
    row.state = ExecutionState::kFailed;
  } else if (timed_out) {
    row.state = ExecutionState::kTimedOut;
    row.error_code = std::string(code_name(Code::kExecTimeout));
    row.error_message = "its time was up";
  } else {
    row.state = row.exit_code.value_or(1) == 0 && row.error_code.empty()
                    ? ExecutionState::kCompleted
                    : ExecutionState::kFailed;
  }
}

// What it came to, and which files it changed where that was asked for.
void Executions::add_end(const LiveExecution& execution, std::vector<store::AuditRow>& audit) {
  const model::Execution& row = execution.row;
  boost::json::object result;
  result["state"] = codec::enum_name(row.state);
  if (row.exit_code) result["exit_code"] = *row.exit_code;
  result["duration_ms"] = row.duration_ms;
  result["stdout_bytes"] = row.output.stdout_bytes.size();
  result["stderr_bytes"] = row.output.stderr_bytes.size();
  result["truncated"] = row.truncated;
  auto add = [&](AuditAction action, std::string detail, std::string outcome, std::string told) {
    audit.push_back(audit_row(execution.caller, {.action = action,
                                                 .session_id = row.session_id,
                                                 .execution_id = row.id,
                                                 .detail = std::move(detail),
                                                 .outcome = std::move(outcome),
                                                 .result = std::move(told)}));
  };
  if (!row.files_json.empty()) {
    for (const FileChange& change : file_changes_of(row.files_json)) {
      add(AuditAction::kFileChanged, change.path, change.kind, {});
      shared_.events.publish({.event = "file_changed",
                              .tenant = row.tenant,
                              .session_id = row.session_id.str(),
                              .execution_id = row.id.str(),
                              .status = codec::enum_name(row.state),
                              .time = now(),
                              .path = change.path,
                              .change = change.kind});
    }
  }
  add(AuditAction::kExecutionEnded, {}, row.error_code.empty() ? "ok" : row.error_code,
      codec::serialize(result));
}

Task<void> Executions::conclude(LiveExecutionPtr execution) {
  model::Execution& row = execution->row;
  row.ended_at = now();
  row.output = execution->spool->output();
  row.truncated |= execution->spool->truncated();
  execution->process.reset();
  LiveSession& session = *execution->session;
  std::vector<store::AuditRow> audit = std::exchange(execution->audit, {});
  std::optional<store::Change> approval = approvals_.at_end(*execution);
  add_end(*execution, audit);
  std::optional<store::AuditRow> deleted;
  if (execution->ends_session) {
    deleted = audit_row(execution->caller,
                        {.action = AuditAction::kSessionDeleted, .session_id = session.row.id});
  }
  for (int attempt = 1;; ++attempt) {
    bool ends = execution->ends_session && !session.ending();
    RowInStore session_before = session.in_store;
    std::vector<store::Change> changes = sessions_.with_result(session, ends);
    if (execution->once) {
      execution->once->add_to(changes, {.kind = model::MadeKind::kExecution,
                                        .id = row.id.str(),
                                        .state = model::MadeState::kDone});
    }
    if (approval) changes.push_back(*approval);
    changes.push_back(store::PutExecution{.row = row, .with_output = true});
    for (const store::AuditRow& one : audit) changes.push_back(store::AddAudit{one});
    if (ends) changes.push_back(store::AddAudit{*deleted});
    Result<void> written = co_await shared_.store.write(std::move(changes));
    fault::here("execute.stored");
    if (written) {
      session.in_store = ends ? RowInStore::kEnd : RowInStore::kLive;
      execution->in_store = RowInStore::kEnd;
      session.creation.reset();
      break;
    }
    session.in_store = session_before;
    log::error("store_failed", log::kv("execution_id", row.id.str()),
               log::kv("error", written.error().to_string()));
    // What a client knows of is kept until the store is back; for the others somebody waits.
    if (attempt >= kWriteAttempts && execution->in_store == RowInStore::kNone) {
      row.state = ExecutionState::kFailed;
      row.error_code = std::string(code_name(written.error().code()));
      row.error_message = "the result could not be stored: " + written.error().message();
      for (store::AuditRow& one : audit) audit_.soon(std::move(one));
      break;
    }
    co_await async::sleep_for(kWriteAgain * std::min(attempt, kWriteAttempts));
  }
  execution->apply(ExecutionEvent::kWritten);
  if (execution->spool->has_file()) journals_.remove(row.id);
  fault::here("execute.done");
  execution->spool->end();
  publish(*execution, "execution_" + codec::enum_name(row.state));
  if (row.state == ExecutionState::kFailed) ++failed_total_;
  execution->changed.notify_all();
  forget(*execution);
}

Task<void> Executions::record_slow() {
  for (;;) {
    co_await async::sleep_for(kMoment);
    for (const auto& [id, execution] : live_) {
      if (execution->audit.empty() || now() - execution->row.created_at < kMoment) continue;
      for (store::AuditRow& row : std::exchange(execution->audit, {})) audit_.soon(std::move(row));
    }
  }
}

Task<void> Executions::shut_down() {
  co_await tasks_.join();
  for (const auto& [id, execution] : live_) approvals_.forget(*execution);
}

}  // namespace atl::control
