// What `atoll` exits with (contract §5): the program's own status, 124 time-out, 137 out of memory,
// 126 and 127 as a shell, 125 for Atoll's own failures.
#pragma once

#include "base/error.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

inline constexpr int kExitTimeout = 124;
inline constexpr int kExitAtoll = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;
inline constexpr int kExitOom = 137;

int exit_status_of(Code code);
int exit_status_of(const sandbox::ExitStatus& status);

}  // namespace atl::cli
