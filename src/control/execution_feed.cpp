#include "control/execution_feed.hpp"

#include <algorithm>
#include <utility>

#include "control/executions.hpp"

namespace atl::control {

using async::Task;

ExecutionFeed::ExecutionFeed(std::shared_ptr<LiveExecution> execution, std::uint64_t after)
    : execution_(std::move(execution)),
      after_(std::min(after, execution_->spool->last_number())),
      reader_(std::make_unique<Spool::Reader>(execution_->spool, after_)) {}

const model::Execution& ExecutionFeed::row() const { return live() ? execution_->row : row_; }

Task<Result<const SpoolEvent*>> ExecutionFeed::next() {
  static const SpoolEvent kNone;
  if (!live()) co_return &kNone;
  co_return co_await reader_->next();
}

Task<Result<ExecutionFeed>> Executions::follow(Caller caller, ExecutionId id, std::uint64_t after) {
  if (auto found = live_.find(id.str());
      found != live_.end() && found->second->row.tenant == caller.tenant) {
    co_return ExecutionFeed(found->second, after);
  }
  ATOLL_CO_TRY(model::Execution row, co_await get(std::move(caller), std::move(id)));
  co_return ExecutionFeed(std::move(row));
}

}  // namespace atl::control
