#include "control/approvals.hpp"

#include <utility>

#include "async/deadline.hpp"
#include "codec/json.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::ApprovalState;
using model::AuditAction;
using model::ExecutionEvent;

namespace {

Error over_already(const model::ApprovalInfo& row) {
  if (row.state == ApprovalState::kWaiting) {
    return {Code::kConflict, "the execution does not wait for approval any more"};
  }
  return {Code::kConflict, "this approval is " + codec::name_of(row.state) + " already"};
}

constexpr std::chrono::seconds kStoreWait{10};  // for a store that is away

Task<Result<bool>> until_done(LiveExecutionPtr execution) {
  while (!execution->done()) co_await execution->changed.wait();
  co_return true;
}

void notify(LiveExecution& execution) {
  execution.changed.notify_all();
  execution.session->changed.notify_all();
}

}  // namespace

model::Time Approvals::now() const {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(shared_.clock.wall());
}

void Approvals::publish(const LiveExecution& execution, std::string event) {
  const model::Execution& row = execution.row;
  log::info(event, log::kv("session_id", row.session_id.str()),
            log::kv("execution_id", row.id.str()));
  shared_.events.publish({.event = std::move(event),
                          .tenant = row.tenant,
                          .session_id = row.session_id.str(),
                          .execution_id = row.id.str(),
                          .status = codec::enum_name(row.state),
                          .time = now()});
}

Task<Result<std::vector<model::ApprovalInfo>>> Approvals::list(Caller caller,
                                                               model::ApprovalFilter filter,
                                                               store::Page page) {
  filter.tenant = caller.tenant;
  co_return co_await shared_.store.approvals(std::move(filter), std::move(page));
}

Task<Result<model::Approval>> Approvals::get(Caller caller, ExecutionId id) {
  // What clients see of an execution is here a moment before it is written.
  if (auto found = waiting_.find(id.str());
      found != waiting_.end() && found->second.execution->row.tenant == caller.tenant) {
    co_return *found->second.execution->approval;
  }
  Result<model::Approval> row = co_await shared_.store.approval(id);
  bool hidden = row && row->tenant != caller.tenant;
  if (hidden || (!row && row.error().code() == Code::kNotFound)) {
    co_return fail(Code::kNotFound, "there is no approval " + id.str());
  }
  co_return row;
}

Result<void> Approvals::check(const Caller& caller, const ApprovalWish& wish) const {
  if (!caller.may_approve()) {
    return fail(Code::kForbidden, "only keys of the roles owner, admin and approver decide");
  }
  if (wish.reason.size() > kMaxReason) {
    return fail(Code::kInvalidValue,
                "a reason has at most " + std::to_string(kMaxReason) + " bytes");
  }
  if (!wish.remember) return {};
  if (!wish.approve) return fail(Code::kInvalidValue, "only what is approved can be remembered");
  if (wish.remember->count() < 1 || *wish.remember > limits_.longest_memory) {
    return fail(Code::kInvalidValue, "an approval is remembered for 1 s to 24 hours");
  }
  return {};
}

Task<Result<model::Approval>> Approvals::decide(Caller caller, ExecutionId id, ApprovalWish wish) {
  ATOLL_CO_CHECK(check(caller, wish));
  auto found = waiting_.find(id.str());
  if (found == waiting_.end() || found->second.execution->row.tenant != caller.tenant) {
    ATOLL_CO_TRY(model::Approval over, co_await get(std::move(caller), std::move(id)));
    co_return fail(over_already(over));
  }
  LiveExecutionPtr execution = found->second.execution;
  model::Approval decided = *execution->approval;
  // Where no keys are asked for, nobody is told apart.
  if (!caller.key_id.empty() && caller.key_id == decided.key_id) {
    co_return fail(Code::kForbidden, "a key cannot decide on what it asked for itself");
  }
  bool late = shared_.clock.steady() >= found->second.until;
  if (late || execution->deciding || !execution->awaits()) co_return fail(over_already(decided));
  if (wish.approve && execution->session->row.state == model::SessionState::kPaused) {
    co_return fail(Code::kConflict, "the session is paused: resume it first");
  }
  decided.state = wish.approve ? ApprovalState::kApproved : ApprovalState::kRejected;
  decided.decided_at = now();
  decided.decided_by = caller.key_id;
  decided.reason = std::move(wish.reason);
  decided.request_json.reset();
  if (wish.remember) decided.remembered_until = *decided.decided_at + *wish.remember;
  execution->deciding = true;
  Result<void> done = co_await (wish.approve ? approve(std::move(caller), execution, decided)
                                             : reject(std::move(caller), execution, decided));
  if (!done) co_return fail(done.error());
  co_return decided;
}

Task<Result<void>> Approvals::approve(Caller caller, LiveExecutionPtr execution,
                                      model::Approval decided) {
  model::Execution row = execution->row;
  row.state = model::ExecutionState::kQueued;
  std::vector<store::Change> changes;
  changes.push_back(store::PutApproval{decided});
  changes.push_back(store::PutExecution{.row = std::move(row)});
  changes.push_back(store::AddAudit{audit_row(caller, {.action = AuditAction::kApprovalDecided,
                                                       .session_id = execution->row.session_id,
                                                       .execution_id = execution->row.id,
                                                       .detail = decided.reason,
                                                       .outcome = codec::name_of(decided.state)})});
  changes.push_back(
      store::AddAudit{audit_row(execution->caller, {.action = AuditAction::kExecutionStarted,
                                                    .session_id = execution->row.session_id,
                                                    .execution_id = execution->row.id,
                                                    .detail = "approved"})});
  Result<void> written = co_await shared_.store.write(std::move(changes));
  execution->deciding = false;
  if (written) *execution->approval = decided;
  bool applied = written && execution->try_apply(ExecutionEvent::kApprove);
  notify(*execution);
  if (!written) co_return written;
  // Its end has the last word in the store.
  if (!applied) co_return fail(Code::kConflict, "the execution was cancelled meanwhile");
  remember(decided);
  ++decided_[decided.state];
  publish(*execution, "execution_approved");
  co_return Result<void>();
}

// Written with the end of the execution.
Task<Result<void>> Approvals::reject(Caller caller, LiveExecutionPtr execution,
                                     model::Approval decided) {
  execution->deciding = false;
  *execution->approval = decided;
  execution->audit.push_back(audit_row(caller, {.action = AuditAction::kApprovalDecided,
                                                .session_id = execution->row.session_id,
                                                .execution_id = execution->row.id,
                                                .detail = decided.reason,
                                                .outcome = codec::name_of(decided.state)}));
  execution->apply(ExecutionEvent::kReject);
  notify(*execution);
  Result<bool> written =
      co_await async::with_deadline(until_done(execution), async::deadline_in(kStoreWait),
                                    Code::kNoAvailableRuntime, "the store is away: ask later");
  if (!written) co_return fail(written.error());
  co_return Result<void>();
}

}  // namespace atl::control
