// Counts failures in a row and limits how often they are logged: the first one, then one a minute,
// then the recovery.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace atl::log {

class FailureStreak {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kPause{1};

  // Counts one more failure. True: log it.
  bool failed(Time now) {
    if (++count_ > 1 && now - logged_at_ < kPause) return false;
    logged_at_ = now;
    return true;
  }
  std::uint64_t count() const { return count_; }
  // Ends the streak and returns its length; 0: there was no failure, so there is nothing to log.
  std::uint64_t end() { return std::exchange(count_, 0); }

 private:
  std::uint64_t count_ = 0;
  Time logged_at_{};
};

}  // namespace atl::log
