// How many bytes may pass now, so that a rate holds over time. Whatever passes beyond that is owed.
// Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace atl::egress {

class ByteRate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kLeastBurst = 4096;
  static constexpr std::chrono::milliseconds kLongestWait{100};

  // 0: no limit.
  void limit(std::uint64_t per_second) {
    rate_ = static_cast<double>(per_second);
    left_ = std::min(left_, burst());
  }
  bool is_limited() const { return rate_ > 0; }

  std::size_t room(Time now) {
    if (!is_limited()) return SIZE_MAX;
    if (last_ == Time()) {
      left_ = burst();
    } else {
      left_ = std::min(burst(), left_ + std::chrono::duration<double>(now - last_).count() * rate_);
    }
    last_ = now;
    return left_ < 1 ? 0 : static_cast<std::size_t>(left_);
  }

  void spend(std::uint64_t bytes) {
    if (is_limited()) left_ -= static_cast<double>(bytes);
  }

  // When to ask again after room() was 0.
  std::chrono::milliseconds wait() const {
    std::chrono::duration<double> until((burst() / 2 - left_) / rate_);
    if (until > kLongestWait) return kLongestWait;
    return std::chrono::milliseconds(1) +
           std::chrono::duration_cast<std::chrono::milliseconds>(until);
  }

 private:
  // A tenth of a second's worth.
  double burst() const { return std::max(rate_ / 10, kLeastBurst); }

  double rate_ = 0, left_ = 0;
  Time last_{};
};

}  // namespace atl::egress
