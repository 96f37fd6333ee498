// A token bucket. Pure.
#pragma once

#include <algorithm>
#include <chrono>

namespace atl::egress {

class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Rate(double per_second, double burst) : rate_(per_second), burst_(burst), left_(burst) {}

  void limit(double per_second) {
    rate_ = burst_ = per_second;
    left_ = last_ == Time() ? burst_ : std::min(left_, burst_);
  }

  // Whether one more may pass now.
  bool take(Time now) {
    if (last_ != Time()) {
      std::chrono::duration<double> passed = now - last_;
      left_ = std::min(burst_, left_ + passed.count() * rate_);
    }
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  double rate_, burst_, left_;
  Time last_{};
};

}  // namespace atl::egress
