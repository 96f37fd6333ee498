// What happens in a new process of the user, between clone and execve. The memory is the guest's own
// (CLONE_VM, the guest stands still meanwhile): raw system calls only, nothing allocated, nothing
// changed but the two result fields.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace atl::guest {

enum class ChildStep : std::uint8_t {
  kNone,
  kCgroup,
  kTerminal,
  kStdio,
  kLimits,
  kUser,
  kCapabilities,
  kNoNewPrivs,
  kLandlock,
  kDirectory,
  kExec,
};

struct ChildPlan {
  const int* task_fds = nullptr;  // files that take "0": the process moves itself into the user's cgroups
  std::size_t task_count = 0;
  int stdio[3] = {-1, -1, -1};  // all above 2
  bool tty = false;
  bool switch_user = false;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t open_files = 0;  // 0: as it is
  std::uint64_t data_bytes = 0;  // 0: no limit
  const char* cwd = nullptr;
  bool cwd_optional = false;            // a missing one becomes "/"
  const char* const* programs = nullptr;  // paths to try, null-terminated
  char* const* argv = nullptr;
  char* const* env = nullptr;

  ChildStep failed = ChildStep::kNone;  // result
  int error = 0;
};

// Starts it; returns once the program runs or the plan says what failed. -1 and errno: no process.
pid_t start_child(ChildPlan& plan);

}  // namespace atl::guest
