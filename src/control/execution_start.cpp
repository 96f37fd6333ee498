// Executing for a client: from the request to a row that is queued, its wait, and the answer to a
// repeated request.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fault.hpp"
#include "base/rollback.hpp"
#include "control/execute_check.hpp"
#include "control/executions.hpp"
#include "control/stored_request.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;
using model::MadeState;
using model::RowInStore;

namespace {

constexpr std::chrono::seconds kStoreWait{10};  // for a store that is away

Task<Result<bool>> until_done(LiveExecutionPtr execution) {
  while (!execution->done()) co_await execution->changed.wait();
  co_return true;
}

// What the answer to a request that did not wait says of an execution.
model::Execution as_accepted(const model::Execution& row) {
  model::Execution accepted;
  accepted.id = row.id;
  accepted.session_id = row.session_id;
  accepted.tenant = row.tenant;
  accepted.request_json = row.request_json;
  accepted.created_at = row.created_at;
  if (row.state == model::ExecutionState::kAwaitingApproval) accepted.state = row.state;
  return accepted;
}

// The session of a one-shot lives until a person has decided and it has run, over a restart, too.
void live_for_approval(LiveSession& session, const model::Approval& approval) {
  if (!approval.ends_session) return;
  session.row.one_shot = false;
  if (session.row.expires_at) {
    *session.row.expires_at += approval.expires_at - approval.created_at;
  }
}

// One that is open by now; a session that is still being made has none.
Result<void> check_context(const LiveSession& session, const std::string& context) {
  if (context.empty() || context == "default") return {};
  if (!session.contexts) {
    return fail(Code::kNotFound, "there is no context \"" + context.substr(0, 80) + "\"");
  }
  ATOLL_CHECK(session.contexts->info(ContextId(context)));
  return {};
}

}  // namespace

SpoolDisk Executions::disk_for(const ExecutionId& id) const {
  if (!journals_.kept()) return {};
  return {.open = [this, id] { return journals_.begin(id); },
          .has_room = [this] { return journals_.has_room(); }};
}

Task<Result<LiveExecutionPtr>> Executions::start(Caller caller, SessionId id,
                                                 ExecuteRequest request, bool stored,
                                                 const Once* once) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(caller, id));
  if (session->row.state == model::SessionState::kPaused) {
    co_return fail(Code::kConflict, "the session is paused: resume it first");
  }
  ATOLL_CO_CHECK(check_request(request, session->origin->spec.language, limits_.longest_time));
  ATOLL_CO_CHECK(check_context(*session, request.context));
  Result<Decision> allowed = co_await decider_.decide(
      caller, &request, session->origin->spec.policy.value_or(model::RiskPolicy()));
  if (!allowed) {
    audit_.soon(audit_row(caller, {.action = AuditAction::kExecutionRefused,
                                   .session_id = id,
                                   .detail = audit_detail(request),
                                   .outcome = std::string(code_name(allowed.error().code()))}));
    co_return fail(allowed.error());
  }
  if (session->executions.size() >= limits_.at_once + limits_.waiting) {
    co_return fail(Code::kResourceExhausted, "the execution queue is full (" +
                                                 std::to_string(limits_.at_once) + " running, " +
                                                 std::to_string(limits_.waiting) +
                                                 " waiting); try again later");
  }
  std::uint64_t kept = request.max_output_bytes.value_or(limits_.output_bytes);
  if (kept > limits_.output_bytes) {
    co_return fail(Code::kInvalidValue, "max_output_bytes must be at most " +
                                            std::to_string(limits_.output_bytes) +
                                            " (executions.max_output_bytes of the server)");
  }
  ATOLL_CO_CHECK(shared_.tenants.take_execution(caller.tenant));
  Rollback undo;  // until forget() does it
  undo.add([this, tenant = caller.tenant] { shared_.tenants.give_execution(tenant); });
  ExecutionId new_id = ExecutionId::make();
  auto execution = std::make_shared<LiveExecution>(kept, disk_for(new_id));
  model::Execution& row = execution->row;
  row.id = std::move(new_id);
  row.session_id = id;
  row.tenant = caller.tenant;
  row.request_json = describe_request(request);
  row.created_at = now();
  execution->session = session;
  if (!request.argv.empty()) {
    execution->program = {.argv = request.argv,
                          .env = request.env,
                          .cwd = request.cwd,
                          .label = std::exchange(request.label, {})};
  }
  execution->program.terminal = request.terminal.has_value();
  execution->audit.push_back(audit_row(caller, {.action = AuditAction::kExecutionStarted,
                                                .session_id = id,
                                                .execution_id = row.id,
                                                .detail = audit_detail(request)}));
  execution->caller = caller;
  bool asks = allowed->action == model::RiskAction::kAsk &&
              !approvals_.is_remembered(id, content_hash(request));
  if (asks) {
    ATOLL_CO_CHECK(approvals_.open(execution, request, allowed->judgement));
    undo.add([this, execution] { approvals_.forget(*execution); });
    execution->audit = {audit_row(caller, {.action = AuditAction::kApprovalRequested,
                                           .session_id = id,
                                           .execution_id = row.id,
                                           .detail = execution->approval->level})};
    live_for_approval(*session, *execution->approval);
    if (execution->approval->ends_session && session->in_store != RowInStore::kNone) {
      Result<void> kept_on = co_await sessions_.put(session);
      if (!kept_on) co_return fail(kept_on.error());
    }
    stored = true;  // people are told of it
  }
  session->executions[row.id.str()] = execution;
  session->last_execution = row.id.str();
  live_[row.id.str()] = execution;
  undo.release();
  fault::here("execute.begun");
  if (stored || audit_.is_strict()) {
    Result<void> written = co_await keep(execution, once);
    if (!written) {
      forget(*execution);
      co_return fail(written.error());
    }
    fault::here("execute.written");
  }
  if (asks) publish(*execution, "execution_awaiting_approval");
  ++started_total_;
  tasks_.spawn(carry_out(execution, std::move(request)));
  co_return execution;
}

Task<Result<ExecutionId>> Executions::begin(Caller caller, SessionId id, ExecuteRequest request) {
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await start(std::move(caller), std::move(id), std::move(request), false));
  co_return execution->row.id;
}

Task<Result<void>> Executions::keep(LiveExecutionPtr execution, const Once* once) {
  if (execution->in_store != RowInStore::kNone) co_return Result<void>();
  execution->in_store = RowInStore::kLive;
  LiveSession& session = *execution->session;
  RowInStore session_before = session.in_store;
  std::vector<store::Change> changes;
  if (once != nullptr) {
    once->add_to(changes, {.kind = model::MadeKind::kExecution,
                           .id = execution->row.id.str(),
                           .state = MadeState::kAccepted});
  }
  std::ranges::move(sessions_.with_result(session, false), std::back_inserter(changes));
  if (execution->approval) changes.push_back(store::PutApproval{*execution->approval});
  changes.push_back(store::PutExecution{.row = execution->row});
  std::vector<store::AuditRow> audit = std::exchange(execution->audit, {});
  for (const store::AuditRow& row : audit) changes.push_back(store::AddAudit{row});
  Result<void> written = co_await shared_.store.write(std::move(changes));
  if (!written) {
    std::ranges::move(audit, std::back_inserter(execution->audit));
    execution->in_store = RowInStore::kNone;
    session.in_store = session_before;
    co_return written;
  }
  session.creation.reset();
  if (execution->done()) co_return written;
  execution->spool->write_through();
  co_return written;
}

Task<Result<model::Execution>> Executions::wait(LiveExecutionPtr execution,
                                                async::Deadline deadline) {
  Result<bool> ended = co_await async::with_deadline(until_done(execution), deadline,
                                                     Code::kExecTimeout, "it still runs");
  (void)ended;  // the deadline is no error: the row says how far it is
  co_return so_far(*execution);
}

Task<Result<Executions::Executed>> Executions::execute(Caller caller, SessionId id,
                                                       ExecuteRequest request,
                                                       std::optional<async::Deadline> wait_until,
                                                       Once once) {
  if (once.earlier()) co_return co_await executed_before(std::move(caller), *once.earlier());
  bool stored = !wait_until || once.active();
  ATOLL_CO_TRY(LiveExecutionPtr execution,
               co_await start(std::move(caller), std::move(id), std::move(request), stored, &once));
  if (!wait_until || execution->awaits()) {  // a person takes longer than a client waits
    co_return Executed{.value = execution->row, .state = MadeState::kAccepted};
  }
  if (once.active() && !execution->done()) execution->once.emplace(once.without_claim());
  ATOLL_CO_TRY(model::Execution row, co_await wait(execution, *wait_until));
  bool ending = !execution->done() && model::is_final(execution->row.state);
  if (ending) {
    ATOLL_CO_TRY(row, co_await wait(execution, async::deadline_in(kStoreWait)));
  }
  if (execution->done()) co_return Executed{.value = std::move(row)};
  if (model::is_final(execution->row.state)) {
    co_return fail(Code::kNoAvailableRuntime,
                   "execution " + execution->row.id.str() +
                       " has ended, but its result is not stored yet: ask again later");
  }
  // The client is about to be told of it. Its end has not begun to be written as long as the state
  // is not final, and writes keep their order.
  ATOLL_CO_CHECK(co_await keep(execution));
  fault::here("execute.kept");
  co_return Executed{.value = execution->row, .state = MadeState::kAccepted};
}

Task<Result<Executions::Executed>> Executions::executed_before(Caller caller, model::Made made) {
  Result<model::Execution> row = co_await get(std::move(caller), ExecutionId(made.id));
  if (!row && row.error().code() == Code::kNotFound) co_return fail(gone_since(made));
  if (!row) co_return fail(row.error());
  // Also when it has ended since: a result is told whole or not at all.
  if (made.state == MadeState::kAccepted) *row = as_accepted(*row);
  co_return Executed{.value = std::move(*row), .state = made.state, .replayed = true};
}

}  // namespace atl::control
