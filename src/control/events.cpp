#include "control/events.hpp"

#include <utility>

namespace atl::control {

void Events::publish(LifeEvent event) {
  event.number = next_number_++;
  kept_.push_back(std::move(event));
  if (kept_.size() > kKept) kept_.pop_front();
  changed_.notify_all();
}

async::Task<LifeEvent> Events::next(std::uint64_t after, std::string tenant) {
  for (;;) {
    for (const LifeEvent& event : kept_) {
      if (event.number > after && (tenant.empty() || event.tenant == tenant)) co_return event;
    }
    after = last();
    co_await changed_.wait();
  }
}

}  // namespace atl::control
