// Times of files as nanoseconds since 1970. A sandbox chooses them: tmpfs keeps any 64-bit second
// that utimensat was given, while 64 bits of nanoseconds end in 2262. What lies beyond becomes the
// bound.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace atl {

inline constexpr std::int64_t kFileSecond = 1'000'000'000;

constexpr std::int64_t file_time_ns(std::int64_t seconds, std::int64_t nanoseconds = 0) {
  constexpr std::int64_t kMost = INT64_MAX / kFileSecond - 1;
  return std::clamp(seconds, -kMost, kMost) * kFileSecond + nanoseconds;
}

constexpr timespec file_timespec(std::int64_t ns) {
  std::int64_t part = (ns % kFileSecond + kFileSecond) % kFileSecond;
  return {.tv_sec = ns / kFileSecond - (ns % kFileSecond < 0 ? 1 : 0), .tv_nsec = part};
}

}  // namespace atl
