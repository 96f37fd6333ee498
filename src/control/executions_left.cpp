// Executions that a killed server left queued, running or waiting for approval.
#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "control/executions.hpp"
#include "control/stored_request.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::ExecutionState;

namespace {

constexpr std::size_t kPortion = 200;
constexpr std::chrono::seconds kWriteAgain{1};

}  // namespace

Task<Result<void>> Executions::load_left() {
  store::ExecutionFilter filter{.states = {ExecutionState::kQueued, ExecutionState::kRunning}};
  store::Page page{.limit = kPortion};
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::Execution> rows,
                 co_await shared_.store.executions(filter, page));
    for (const model::Execution& row : rows) left_.insert(row.id.str());
    if (rows.size() < kPortion) break;
    page.after = rows.back().id.str();
  }
  journals_.keep_only(left_);
  co_return Result<void>();
}

void Executions::fail_left(model::Execution& row) const {
  if (model::is_final(row.state)) return;
  row.state = ExecutionState::kFailed;
  row.error_code = std::string(code_name(Code::kServerRestarted));
  row.error_message = "the server ended while this ran";
  // Its last sign of life: the same time whichever server is asked, until one has written it down.
  model::Time began = row.started_at.value_or(row.created_at);
  row.ended_at = std::max(began, journals_.last_written(row.id).value_or(began));
  row.output = journals_.read(row.id);
}

Task<Result<model::Execution>> Executions::as_ended(model::Execution row, bool with_output) {
  if (model::is_final(row.state)) co_return row;
  if (left_.contains(row.id.str())) {
    fail_left(row);
    co_return row;
  }
  co_return co_await shared_.store.execution(row.id, with_output);  // it ended while the store was
                                                                    // asked
}

Task<Result<void>> Executions::store_some_left() {
  std::vector<store::Change> changes;
  std::vector<ExecutionId> written;
  for (const std::string& id : left_) {
    if (written.size() == kPortion) break;
    written.emplace_back(id);
  }
  for (const ExecutionId& id : written) {
    Result<model::Execution> row = co_await shared_.store.execution(id, false);
    if (!row && row.error().code() == Code::kNotFound) continue;
    if (!row) co_return fail(row.error());
    fail_left(*row);
    changes.push_back(store::PutExecution{.row = std::move(*row), .with_output = true});
  }
  ATOLL_CO_CHECK(co_await shared_.store.write(std::move(changes)));
  fault::here("reconcile.executions");
  for (const ExecutionId& id : written) {
    left_.erase(id.str());
    journals_.remove(id);
  }
  co_return Result<void>();
}

Task<void> Executions::store_left() {
  while (!left_.empty()) {
    Result<void> stored = co_await store_some_left();
    if (stored) continue;
    log::error("store_failed", log::kv("error", stored.error().to_string()));
    co_await async::sleep_for(kWriteAgain);
  }
}

// One execution and its approval as the store has them: it waits on, or it is over.
Task<Result<LiveExecutionPtr>> Executions::wait_on(ExecutionId id) {
  ATOLL_CO_TRY(model::Approval approval, co_await shared_.store.approval(id));
  ATOLL_CO_TRY(model::Execution row, co_await shared_.store.execution(id, false));
  Caller asker{.tenant = row.tenant, .key_id = approval.key_id, .role = model::Role::kUser};
  Result<LiveSessionPtr> session = sessions_.find_live(asker, row.session_id);
  Result<ExecuteRequest> request = read_stored_request(approval.request_json.value_or(""));
  if (row.state == ExecutionState::kAwaitingApproval && session && request) {
    auto execution = std::make_shared<LiveExecution>(
        request->max_output_bytes.value_or(limits_.output_bytes), disk_for(id));
    execution->row = std::move(row);
    execution->caller = std::move(asker);
    execution->session = *session;
    execution->program.terminal = request->terminal.has_value();
    if (!request->argv.empty()) {
      execution->program = {.argv = request->argv,
                            .env = request->env,
                            .cwd = request->cwd,
                            .label = request->label,
                            .terminal = request->terminal.has_value()};
    }
    execution->in_store = model::RowInStore::kLive;
    execution->ends_session = approval.ends_session;
    execution->approval = std::move(approval);
    execution->spool->write_through();
    (*session)->executions[id.str()] = execution;
    live_[id.str()] = execution;
    shared_.tenants.count_execution(execution->row.tenant);
    approvals_.adopt(execution);
    tasks_.spawn(carry_out(execution, std::move(*request)));
    publish(*execution, "execution_awaiting_approval");  // whoever heard of it may be gone, too
    co_return execution;
  }
  approval.state = model::ApprovalState::kCancelled;
  approval.decided_at = now();
  approval.request_json.reset();
  std::vector<store::Change> changes;
  changes.push_back(store::PutApproval{std::move(approval)});
  if (row.state == ExecutionState::kAwaitingApproval) {
    row.state = ExecutionState::kCancelled;
    row.ended_at = now();
    row.error_code = std::string(code_name(Code::kCancelled));
    row.error_message = session ? "what it would have run cannot be read" : "the session has ended";
    changes.push_back(store::PutExecution{.row = std::move(row), .with_output = true});
  }
  ATOLL_CO_CHECK(co_await shared_.store.write(std::move(changes)));
  co_return LiveExecutionPtr();
}

Task<Result<std::vector<LiveExecutionPtr>>> Executions::load_waiting() {
  ATOLL_CO_CHECK(co_await approvals_.load());
  std::vector<LiveExecutionPtr> one_shots;
  store::Page page{.limit = kPortion};
  for (;;) {
    ATOLL_CO_TRY(std::vector<model::ApprovalInfo> rows,
                 co_await shared_.store.approvals({.state = model::ApprovalState::kWaiting}, page));
    for (const model::ApprovalInfo& row : rows) {
      ATOLL_CO_TRY(LiveExecutionPtr execution, co_await wait_on(row.id));
      if (execution && row.ends_session) one_shots.push_back(std::move(execution));
    }
    if (rows.size() < kPortion) co_return one_shots;
    page.after = rows.back().id.str();
  }
}

}  // namespace atl::control
