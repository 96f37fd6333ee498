// Executing for a client: its key, its wait, and the answer to a repeated request.
#include <utility>

#include "base/fault.hpp"
#include "control/executions.hpp"

namespace atl::control {

using async::Task;
using model::MadeState;

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
  return accepted;
}

}  // namespace

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
  if (!wait_until) {
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
    co_return fail(Code::kNoAvailableRuntime, "execution " + execution->row.id.str() +
                                                  " has ended, but the store is away: ask later");
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
