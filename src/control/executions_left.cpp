// Executions that a killed server left queued or running.
#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "control/executions.hpp"
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

}  // namespace atl::control
