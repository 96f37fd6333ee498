// Sessions that wait for a sandbox: first come, first served.
#include <algorithm>
#include <utility>

#include "node/pool.hpp"

namespace atl::node {

using async::Task;

Task<Result<SandboxPtr>> Pool::next(SandboxId id, TemplatePtr origin, model::SessionConfig config) {
  bool as_others = model::keeps_limits(*origin, config) && network_fits(*origin, config);
  if (!as_others || closing_) {
    co_return co_await maker_.make_new(std::move(id), std::move(origin), std::move(config));
  }
  if (SandboxPtr ready = claim(origin, config)) co_return ready;
  Turn turn;
  waiting_[origin].push_back(&turn);
  struct Leave {  // also when this task is cancelled
    Pool& pool;
    const TemplatePtr& origin;
    Turn& turn;
    ~Leave() {
      auto queue = pool.waiting_.find(origin);
      if (queue != pool.waiting_.end()) {
        queue->second.remove(&turn);
        if (queue->second.empty()) pool.waiting_.erase(queue);
      }
      if (turn.outcome && *turn.outcome && **turn.outcome) {
        pool.keep_or_stop(origin, std::move(**turn.outcome));
      }
    }
  } leave{*this, origin, turn};
  tasks_.spawn(make_for_next(origin));
  while (!turn.outcome) co_await turn.ready.wait();
  Result<SandboxPtr> outcome = std::move(*turn.outcome);
  turn.outcome.reset();
  co_return outcome;
}

Task<void> Pool::make_for_next(TemplatePtr origin) {
  Result<SandboxPtr> made = co_await maker_.make_new(SandboxId::make(), origin, {});
  if (!made) {
    hand_over(origin, std::move(made));
  } else {
    keep_or_stop(origin, std::move(*made));
  }
}

bool Pool::hand_over(const TemplatePtr& origin, Result<SandboxPtr> made) {
  auto queue = waiting_.find(origin);
  if (queue == waiting_.end()) return false;
  Turn* first = queue->second.front();
  queue->second.pop_front();
  // At once, so that waiting_ has nobody who is served.
  if (queue->second.empty()) waiting_.erase(queue);
  first->outcome = std::move(made);
  first->ready.notify_all();
  return true;
}

void Pool::keep_or_stop(const TemplatePtr& origin, SandboxPtr sandbox) {
  if (hand_over(origin, sandbox)) return;
  auto shelf = shelves_.find(origin->id);
  std::size_t total = 0;
  for (const auto& [id, one] : shelves_) total += one.parked.size();
  bool wanted = !closing_ && shelf != shelves_.end() && shelf->second.origin == origin &&
                shelf->second.parked.size() < origin->spec.pool && total < settings_.max_total &&
                !short_of_memory();
  if (!wanted) {
    stop_later(std::move(sandbox));
    return;
  }
  shelf->second.parked.push_back({sandbox});
  tasks_.spawn(check_one(origin->id, std::move(sandbox)));  // which connects to it, too
}

}  // namespace atl::node
