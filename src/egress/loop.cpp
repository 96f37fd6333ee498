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

Group::Group(Loop& loop) : loop_(loop), epoll_(make_epoll()) {
  epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
  if (::epoll_ctl(loop_.epoll_.get(), EPOLL_CTL_ADD, epoll_.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

Group::~Group() {
  for (int i = 0; i < loop_.ready_size_; ++i) {
    if (loop_.ready_[i].data.ptr == this) loop_.ready_[i].data.ptr = nullptr;
  }
}

void Group::turn() {
  if (batch_at_ == batch_size_) {
    batch_size_ = std::max(::epoll_wait(epoll_.get(), batch_.data(), kEventsPerTurn, 0), 0);
    batch_at_ = 0;
  }
  // What a tired group leaves comes first in its next turn. It may not be so any more by then,
  // which harms nobody: nothing here waits.
  tired_ = false;
  while (batch_at_ < batch_size_ && !tired_) {
    epoll_event event = batch_[batch_at_++];
    auto* watch = static_cast<Watch*>(event.data.ptr);
    if (watch != nullptr) watch->owner_.on_ready(watch->fd_, event.events);
  }
}

Watch::Watch(Watch& from, Watched& owner)
    : group_(from.group_), fd_(from.fd_), owner_(owner), added_(from.added_) {
  from.forget();
  events_ = EPOLLMSG;  // wanted by nobody: the first want() tells the kernel of the new owner
}

Watch::~Watch() {
  if (added_) ::epoll_ctl(group_.epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr);
  forget();
}

void Watch::forget() {
  added_ = false;
  suspended_ = true;
  for (int i = 0; i < group_.batch_size_; ++i) {
    if (group_.batch_[i].data.ptr == this) group_.batch_[i].data.ptr = nullptr;
  }
}

void Watch::want(std::uint32_t events) {
  if (added_ ? events == events_ : events == (suspended_ ? events_ : 0)) return;
  epoll_event event{.events = events, .data = {.ptr = this}};
  // Fails only for want of memory, and then this descriptor stands still until its timer ends it.
  if (::epoll_ctl(group_.epoll_.get(), added_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd_, &event) == 0) {
    added_ = true;
  }
  suspended_ = false;
  events_ = events;
}

void Watch::suspend() {
  if (added_) ::epoll_ctl(group_.epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr);
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

int Loop::run() {
  while (!stopped_) {
    int size =
        ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), until_next());
    now_ = Clock::now();
    ready_size_ = std::max(size, 0);
    for (int i = 0; i < ready_size_; ++i) {
      if (ready_[i].data.ptr != nullptr) static_cast<Group*>(ready_[i].data.ptr)->turn();
    }
    ready_size_ = 0;
    run_timers();
    // In their order: connections before their sandbox.
    for (auto& dead : std::exchange(graves_, {})) dead.reset();
  }
  return code_;
}

}  // namespace atl::egress
