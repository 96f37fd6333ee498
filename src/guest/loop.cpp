#include "guest/loop.hpp"

#include <algorithm>

namespace atl::guest {
namespace {
char scratch_bytes[64 * 1024];
}

std::span<char> scratch() { return scratch_bytes; }

bool Loop::control(int op, int fd, std::uint32_t events, Pollable& who) {
  epoll_event event{.events = events, .data = {.ptr = &who}};
  return ::epoll_ctl(epoll_.get(), op, fd, &event) == 0;
}

void Loop::forget(const Pollable& who) {
  for (int i = 0; i < count_; ++i) {
    if (batch_[static_cast<std::size_t>(i)].data.ptr == &who) {
      batch_[static_cast<std::size_t>(i)].data.ptr = nullptr;
    }
  }
  std::erase(again_, &who);
  std::replace(turn_.begin(), turn_.end(), const_cast<Pollable*>(&who),
               static_cast<Pollable*>(nullptr));
}

void Loop::again(Pollable& who) {
  if (std::find(again_.begin(), again_.end(), &who) == again_.end()) again_.push_back(&who);
}

void Loop::wait(int timeout_ms) {
  if (!again_.empty()) timeout_ms = 0;
  turn_.swap(again_);
  count_ = std::max(
      0, ::epoll_wait(epoll_.get(), batch_.data(), static_cast<int>(batch_.size()), timeout_ms));
  for (int i = 0; i < count_; ++i) {
    epoll_event event = batch_[static_cast<std::size_t>(i)];
    if (event.data.ptr != nullptr) static_cast<Pollable*>(event.data.ptr)->on_events(event.events);
  }
  count_ = 0;
  for (std::size_t i = 0; i < turn_.size(); ++i) {
    if (turn_[i] != nullptr) turn_[i]->on_events(0);
  }
  turn_.clear();
}

}  // namespace atl::guest
