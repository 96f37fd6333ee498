// Times of files as nanoseconds since 1970. A sandbox chooses them: tmpfs keeps any 64-bit second
// that utimensat was given, while 64 bits of nanoseconds end in 2262. What lies beyond becomes the
// bound.
#pragma once

#include <time.h>

#include <cstdint>
#include <limits>

namespace atl {

constexpr std::int64_t file_time_ns(std::int64_t seconds, std::int64_t nanoseconds = 0) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(seconds, std::int64_t{1'000'000'000}, &all) ||
      __builtin_add_overflow(all, nanoseconds, &all)) {
    return seconds < 0 ? std::numeric_limits<std::int64_t>::min()
                       : std::numeric_limits<std::int64_t>::max();
  }
  return all;
}

constexpr timespec file_timespec(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec time{.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond};
  if (time.tv_nsec < 0) {  // before 1970
    time.tv_sec -= 1;
    time.tv_nsec += kSecond;
  }
  return time;
}

}  // namespace atl
