// Sessions that wait for a sandbox: first come, first served.
#include <algorithm>
#include <utility>

#include "node/pool.hpp"

namespace atl::node {

using async::Task;

Task<Result<SandboxPtr>> Pool::next(SandboxId id, TemplatePtr recipe, model::SessionConfig config) {
  bool as_others = model::keeps_limits(*recipe, config) && !config.allow_network;
  if (!as_others || closing_) {
    co_return co_await node_.make(std::move(id), std::move(recipe), std::move(config));
  }
  if (SandboxPtr ready = claim(recipe, config)) co_return ready;
  Turn turn;
  waiting_[recipe].push_back(&turn);
  struct Leave {  // also when this task is cancelled
    Pool& pool;
    const TemplatePtr& recipe;
    Turn& turn;
    ~Leave() {
      auto queue = pool.waiting_.find(recipe);
      if (queue != pool.waiting_.end()) {
        queue->second.remove(&turn);
        if (queue->second.empty()) pool.waiting_.erase(queue);
      }
      if (turn.outcome && *turn.outcome && **turn.outcome) {
        pool.keep_or_stop(recipe, std::move(**turn.outcome));
      }
    }
  } leave{*this, recipe, turn};
  tasks_.spawn(make_for_next(recipe));
  while (!turn.outcome) co_await turn.ready.wait();
  Result<SandboxPtr> outcome = std::move(*turn.outcome);
  turn.outcome.reset();
  co_return outcome;
}

Task<void> Pool::make_for_next(TemplatePtr recipe) {
  Result<SandboxPtr> made = co_await node_.make(SandboxId::make(), recipe, {});
  if (!made) {
    hand_over(recipe, std::move(made));
  } else {
    keep_or_stop(recipe, std::move(*made));
  }
}

bool Pool::hand_over(const TemplatePtr& recipe, Result<SandboxPtr> made) {
  auto queue = waiting_.find(recipe);
  if (queue == waiting_.end()) return false;
  Turn* first = queue->second.front();
  queue->second.pop_front();
  // At once, so that waiting_ has nobody who is served.
  if (queue->second.empty()) waiting_.erase(queue);
  first->outcome = std::move(made);
  first->ready.notify_all();
  return true;
}

void Pool::keep_or_stop(const TemplatePtr& recipe, SandboxPtr sandbox) {
  if (hand_over(recipe, sandbox)) return;
  auto shelf = shelves_.find(recipe->id);
  std::size_t total = 0;
  for (const auto& [id, one] : shelves_) total += one.parked.size();
  bool wanted = !closing_ && shelf != shelves_.end() && shelf->second.recipe == recipe &&
                shelf->second.parked.size() < recipe->spec.pool && total < settings_.max_total &&
                !short_of_memory();
  if (!wanted) {
    tasks_.spawn(stop_later(std::move(sandbox)));
    return;
  }
  shelf->second.parked.push_back({sandbox});
  tasks_.spawn(check_one(recipe->id, std::move(sandbox)));  // which connects to it, too
}

}  // namespace atl::node
