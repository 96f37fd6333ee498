// Time as a dependency: code that decides by the clock takes a Clock&, tests give a ManualClock.
#pragma once

#include <chrono>
#include <cstdint>

namespace atl {

inline std::int64_t unix_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point wall() const = 0;    // what people read
  virtual std::chrono::steady_clock::time_point steady() const = 0;  // what durations are made of
  // wall() as rows and answers have it.
  std::chrono::sys_time<std::chrono::milliseconds> now() const {
    return std::chrono::time_point_cast<std::chrono::milliseconds>(wall());
  }
};

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::now();
  }
};

class ManualClock final : public Clock {
 public:
  std::chrono::system_clock::time_point wall() const override { return wall_; }
  std::chrono::steady_clock::time_point steady() const override { return steady_; }
  void advance(std::chrono::nanoseconds time) {
    wall_ += std::chrono::duration_cast<std::chrono::system_clock::duration>(time);
    steady_ += time;
  }

 private:
  std::chrono::system_clock::time_point wall_{};
  std::chrono::steady_clock::time_point steady_{};
};

}  // namespace atl
