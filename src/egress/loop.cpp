#include "egress/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace atl::egress {

namespace {

UniqueFd make_epoll() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  return epoll;
}

}  // namespace

Watch::Watch(Watch& from, Watched& owner)
    : group_(from.group_), fd_(from.fd_), owner_(owner), added_(from.added_) {
  from.forget();
  events_ = EPOLLMSG;  // wanted by nobody: the first want() tells the kernel of the new owner
}

Watch::~Watch() {
  if (added_) ::epoll_ctl(group_.loop_.epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr);
  forget();
}

void Watch::forget() {
  added_ = false;
  suspended_ = true;
  Loop& loop = group_.loop_;
  for (int i = 0; i < loop.ready_size_; ++i) {
    if (loop.ready_[i].data.ptr == this) loop.ready_[i].data.ptr = nullptr;
  }
}

void Watch::want(std::uint32_t events) {
  if (added_ ? events == events_ : events == (suspended_ ? events_ : 0)) return;
  epoll_event event{.events = events, .data = {.ptr = this}};
  // Fails only without memory; then this descriptor is idle until its timer ends it.
  int change = added_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (::epoll_ctl(group_.loop_.epoll_.get(), change, fd_, &event) == 0) added_ = true;
  suspended_ = false;
  events_ = events;
}

void Watch::suspend() {
  if (added_) ::epoll_ctl(group_.loop_.epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr);
  added_ = false;
  suspended_ = true;
}

void Watch::resume() {
  if (std::exchange(suspended_, false)) want(events_);
}

void Timer::start(std::chrono::milliseconds in) {
  cancel();
  place_ = loop_.times_.emplace(Loop::Clock::now() + in, this);
  runs_ = true;
}

void Timer::cancel() {
  if (std::exchange(runs_, false)) loop_.times_.erase(place_);
}

Loop::Loop() : epoll_(make_epoll()) {}

int Loop::until_next() const {
  if (times_.empty()) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(times_.begin()->first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Loop::run_timers() {
  while (!times_.empty() && times_.begin()->first <= now_) {
    Timer* timer = times_.begin()->second;
    timer->cancel();
    timer->then_();
  }
}

void Loop::dispatch() {
  constexpr std::uint64_t kStep = 7919;  // a prime above the size: all places come first in time
  ++turn_;
  auto size = static_cast<std::uint64_t>(ready_size_);
  for (std::uint64_t i = 0; i < size; ++i) {
    const epoll_event event = ready_[(turn_ * kStep + i) % size];
    if (event.data.ptr == nullptr) continue;
    auto& watch = *static_cast<Watch*>(event.data.ptr);
    Group& group = watch.group_;
    if (std::exchange(group.turn_, turn_) != turn_) group.left_ = Group::kEventsPerTurn;
    if (group.left_-- > 0) watch.owner_.on_ready(watch.fd_, event.events);
  }
  ready_size_ = 0;
}

int Loop::run() {
  while (!stopped_) {
    int size =
        ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), until_next());
    now_ = Clock::now();
    ready_size_ = std::max(size, 0);
    dispatch();
    run_timers();
    // In their order: connections before their sandbox.
    for (auto& dead : std::exchange(graves_, {})) dead.reset();
  }
  return code_;
}

}  // namespace atl::egress
