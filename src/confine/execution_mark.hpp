// The mark of an execution: a number that its first process gives itself before it runs code of the
// user, and that every process below inherits, whatever session or parent it takes. It is the limit
// of file locks, which Linux keeps for each process and does not use. The filter of user code
// refuses to set it (docs/adr/0040-marks-of-executions.md).
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <cstdint>

namespace atl::confine {

inline constexpr int kMarkResource = RLIMIT_LOCKS;
inline constexpr unsigned kPidBits = 22;  // PID_MAX_LIMIT of Linux

// A pid is used again; not in the same millisecond.
constexpr std::uint64_t make_mark(const timespec& now, int pid) {
  std::uint64_t ms = static_cast<std::uint64_t>(now.tv_sec) * 1000 +
                     static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
  return ms << kPidBits | static_cast<std::uint64_t>(pid);
}

// Whether `mark` is one that process `pid` gave itself; a limit that it inherited is none.
constexpr bool is_mark_of(std::uint64_t mark, int pid) {
  return (mark & ((std::uint64_t{1} << kPidBits) - 1)) == static_cast<std::uint64_t>(pid);
}

}  // namespace atl::confine
