// Executions that wait for approval: how they begin to, how long, and what remains of it.
#include <algorithm>
#include <utility>

#include "async/deadline.hpp"
#include "codec/json.hpp"
#include "control/approvals.hpp"
#include "control/execute_check.hpp"
#include "control/stored_request.hpp"

namespace atl::control {

using async::Task;
using model::ApprovalState;
using model::AuditAction;
using model::ExecutionEvent;

namespace {

constexpr std::chrono::milliseconds kTick{250};
constexpr std::size_t kPortion = 200;

// While it lives the session is not idle.
class InUse {
 public:
  InUse(LiveSessionPtr session, const Clock& clock) : session_(std::move(session)), clock_(clock) {
    ++session_->users;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    --session_->users;
    session_->idle_since = clock_.steady();
  }

 private:
  LiveSessionPtr session_;
  const Clock& clock_;
};

Error why_refused(const model::Approval& row) {
  if (row.state == ApprovalState::kExpired) {
    return {Code::kForbidden, "the approval expired (approvals.timeout)"};
  }
  return {Code::kForbidden, "it was rejected" + (row.reason.empty() ? "" : ": " + row.reason)};
}

std::size_t size_of(const ExecuteRequest& request) {
  std::size_t bytes = request.shell_command.size() + request.code.value_or("").size() +
                      request.stdin_data.value_or("").size();
  for (const std::string& word : request.argv) bytes += word.size();
  return bytes;
}

}  // namespace

bool Approvals::is_remembered(const SessionId& session, const std::string& content) const {
  auto found = remembered_.find({session.str(), content});
  return found != remembered_.end() && shared_.clock.steady() < found->second;
}

void Approvals::remember(const model::Approval& row) {
  if (!row.remembered_until) return;
  // The time that is left, so that a clock that is set does not count.
  auto left =
      std::min<std::chrono::milliseconds>(*row.remembered_until - now(), limits_.longest_memory);
  if (left.count() <= 0) return;
  remembered_[{row.session_id.str(), row.content_hash}] = shared_.clock.steady() + left;
}

Result<void> Approvals::open(const LiveExecutionPtr& execution, const ExecuteRequest& request,
                             const policy::Judgement& judgement) {
  const model::Execution& row = execution->row;
  auto same_tenant = [&](const auto& one) {
    return one.second.execution->row.tenant == row.tenant;
  };
  if (std::ranges::count_if(waiting_, same_tenant) >=
      static_cast<std::ptrdiff_t>(limits_.waiting)) {
    return fail(Code::kResourceExhausted, std::to_string(limits_.waiting) +
                                              " executions wait for approval already; decide on "
                                              "some of them first");
  }
  if (size_of(request) > limits_.request_bytes) {
    return fail(Code::kForbidden, "code and input of more than " +
                                      std::to_string(limits_.request_bytes >> 10) +
                                      " KiB cannot be approved by a person");
  }
  model::Approval approval;
  approval.id = row.id;
  approval.session_id = row.session_id;
  approval.tenant = row.tenant;
  approval.key_id = execution->caller.key_id;
  approval.level = codec::name_of(judgement.level);
  approval.findings_json = codec::encode(judgement.findings);
  approval.shown_json = row.request_json;
  approval.content_hash = content_hash(request);
  approval.ends_session = execution->session->row.one_shot;
  approval.created_at = row.created_at;
  approval.expires_at = row.created_at + limits_.time;
  approval.request_json = stored_request(request);
  execution->approval = std::move(approval);
  adopt(execution);
  return {};
}

void Approvals::adopt(const LiveExecutionPtr& execution) {
  execution->set_awaiting();
  std::chrono::milliseconds left = execution->approval->expires_at - now();
  left = std::min<std::chrono::milliseconds>(left, limits_.time);
  waiting_[execution->row.id.str()] = {execution, shared_.clock.steady() + left};
}

Task<Result<void>> Approvals::until_decided(LiveExecutionPtr execution) {
  if (!execution->approval) co_return Result<void>();
  LiveSessionPtr session = execution->session;
  InUse use(session, shared_.clock);
  Result<void> outcome;
  for (;;) {
    if (!execution->deciding) {
      if (execution->phase() == model::ExecutionPhase::kRefused) {
        outcome = fail(why_refused(*execution->approval));
      } else if (session->ending()) {
        outcome = fail(Code::kCancelled, "the session has ended");
      } else if (execution->cancelled()) {
        outcome = fail(Code::kCancelled, "cancelled before it was approved");
      }
      if (!outcome || !execution->awaits()) break;
    }
    co_await session->changed.wait();
  }
  // One that will not run stays until its end is written, so that nobody sees it wait again.
  if (outcome) forget(*execution);
  co_return outcome;
}

std::optional<store::Change> Approvals::at_end(LiveExecution& execution) {
  if (!execution.approval || execution.approval->state == ApprovalState::kApproved) {
    return std::nullopt;
  }
  model::Approval& row = *execution.approval;
  if (row.state == ApprovalState::kWaiting) row.state = ApprovalState::kCancelled;
  if (!row.decided_at) row.decided_at = now();
  row.request_json.reset();
  ++decided_[row.state];
  return store::PutApproval{row};
}

Task<Result<void>> Approvals::load() {
  model::Time oldest = now() - limits_.longest_memory - limits_.time;
  store::Page page{.limit = kPortion};
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::ApprovalInfo> rows,
                 co_await shared_.store.approvals({.state = ApprovalState::kApproved}, page));
    for (const model::ApprovalInfo& row : rows) {
      if (row.created_at < oldest) co_return Result<void>();
      model::Approval approval;
      static_cast<model::ApprovalInfo&>(approval) = row;
      remember(approval);
    }
    if (rows.size() < kPortion) co_return Result<void>();
    page.after = rows.back().id.str();
  }
}

Task<void> Approvals::watch() {
  for (;;) {
    co_await async::sleep_for(kTick);
    std::chrono::steady_clock::time_point present = shared_.clock.steady();
    std::erase_if(remembered_, [&](const auto& one) { return one.second <= present; });
    std::vector<LiveExecutionPtr> late;
    for (const auto& [id, waiting] : waiting_) {
      const LiveExecution& execution = *waiting.execution;
      if (waiting.until > present || execution.deciding || !execution.awaits()) continue;
      late.push_back(waiting.execution);
    }
    for (const LiveExecutionPtr& one : late) {
      LiveExecution& execution = *one;
      execution.approval->state = ApprovalState::kExpired;
      execution.approval->decided_at = now();
      execution.audit.push_back(
          audit_row({.tenant = execution.row.tenant}, {.action = AuditAction::kApprovalDecided,
                                                       .session_id = execution.row.session_id,
                                                       .execution_id = execution.row.id,
                                                       .outcome = "expired"}));
      execution.apply(ExecutionEvent::kReject);
      execution.changed.notify_all();
      execution.session->changed.notify_all();
    }
  }
}

}  // namespace atl::control
