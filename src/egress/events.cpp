#include "egress/events.hpp"

#include <utility>

namespace atl::egress {

void Events::add(Refusal refusal) {
  Key key(refusal.sandbox, refusal.name, refusal.port, refusal.reason);
  if (auto found = places_.find(key); found != places_.end()) {
    ++waiting_[found->second].count;
    return;
  }
  if (waiting_.size() >= kMax || of_sandbox_[refusal.sandbox] >= kMaxOfSandbox) {
    ++dropped_;
    return;
  }
  ++of_sandbox_[refusal.sandbox];
  places_.emplace(std::move(key), waiting_.size());
  waiting_.push_back(std::move(refusal));
}

Reply Events::take() {
  Reply reply{.refusals = std::exchange(waiting_, {})};
  if (dropped_ > 0) reply.dropped = std::exchange(dropped_, 0);
  places_.clear();
  of_sandbox_.clear();
  return reply;
}

}  // namespace atl::egress
