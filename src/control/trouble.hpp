// Something that fails again and again: worth a line of the log when it begins, once a minute while
// it lasts, and when it is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace atl::control {

class Trouble {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kPause{1};

  // Once more. True: it is to be said.
  bool failed(Time now) {
    if (++times_ > 1 && now - said_at_ < kPause) return false;
    said_at_ = now;
    return true;
  }
  std::uint64_t times() const { return times_; }
  // It worked. How often it had failed before; 0: there is nothing to say.
  std::uint64_t over() { return std::exchange(times_, 0); }

 private:
  std::uint64_t times_ = 0;  // in a row
  Time said_at_{};
};

}  // namespace atl::control
