#include "control/events.hpp"

#include <algorithm>
#include <utility>

namespace atl::control {

using async::Task;

void Events::publish(LifeEvent event) {
  event.number = next_number_++;
  kept_.push_back(std::make_shared<const LifeEvent>(std::move(event)));
  if (kept_.size() > kKept) kept_.pop_front();
  changed_.notify_all();
}

class Events::Follower final : public EventStream {
 public:
  Follower(Events& events, std::uint64_t after, std::string tenant)
      : events_(events), position_(after), tenant_(std::move(tenant)) {}

  Task<Result<std::optional<LifeEventPtr>>> next() override {
    for (;;) {
      auto found = std::ranges::upper_bound(events_.kept_, position_, {},
                                            [](const LifeEventPtr& one) { return one->number; });
      for (; found != events_.kept_.end(); ++found) {
        position_ = (*found)->number;
        if (tenant_.empty() || (*found)->tenant == tenant_) co_return *found;
      }
      co_await events_.changed_.wait();
    }
  }
  std::uint64_t position() const override { return position_; }

 private:
  Events& events_;
  std::uint64_t position_;
  std::string tenant_;
};

std::unique_ptr<EventStream> Events::follow(std::optional<std::uint64_t> after,
                                            std::string tenant) {
  // Numbers of an earlier server may be larger than any of this one.
  std::uint64_t last = next_number_ - 1;
  return std::make_unique<Follower>(*this, std::min(after.value_or(last), last), std::move(tenant));
}

}  // namespace atl::control
