#include "control/execution_feed.hpp"

#include <algorithm>
#include <utility>

#include "control/executions.hpp"

namespace atl::control {

using async::Task;

ExecutionFeed::ExecutionFeed(std::shared_ptr<LiveExecution> execution, std::uint64_t after)
    : execution_(std::move(execution)),
      position_(std::min(after, execution_->spool->last_number())) {
  reader_.emplace(execution_->spool, position_);
}

const model::Execution& ExecutionFeed::row() const { return live() ? execution_->row : row_; }

Task<Result<std::optional<const SpoolEvent*>>> ExecutionFeed::next() {
  if (!live()) co_return std::nullopt;
  const SpoolEvent* event = co_await reader_->next();
  if (event->kind == SpoolKind::kEnd) co_return std::nullopt;
  position_ = event->number;
  co_return event;
}

Task<Result<std::unique_ptr<ExecutionFeed>>> Executions::follow(Caller caller, ExecutionId id,
                                                                std::uint64_t after) {
  if (auto found = live_.find(id.str());
      found != live_.end() && found->second->row.tenant == caller.tenant) {
    co_return std::make_unique<ExecutionFeed>(found->second, after);
  }
  ATOLL_CO_TRY(model::Execution row, co_await get(std::move(caller), std::move(id)));
  co_return std::make_unique<ExecutionFeed>(std::move(row));
}

}  // namespace atl::control
