// What happens in a new process of the user, between fork and execve: raw system calls only. Not
// vfork: from the change of uid on, other code of the sandbox can stop the child, and a guest that
// shared its memory would stand still with it.
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
  kSeccomp,
  kStopped,  // it neither ran nor failed within kStartTime
};

struct ChildPlan {
  const int* task_fds = nullptr;  // files that take "0": the process moves itself into the user's
                                  // cgroups
  std::size_t task_count = 0;
  int stdio[3] = {-1, -1, -1};  // all above 2
  bool tty = false;
  bool switch_user = false;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t open_files = 0;  // 0: as it is
  std::uint64_t data_bytes = 0;  // 0: no limit
  const char* cwd = nullptr;
  bool cwd_optional = false;              // a missing one becomes "/"
  const char* const* programs = nullptr;  // paths to try, null-terminated
  char* const* argv = nullptr;
  char* const* env = nullptr;

  int report = -1;  // where the child says what failed; closed by a successful execve

  ChildStep failed = ChildStep::kNone;  // result
  int error = 0;
};

// Starts it; returns once the program runs or the plan says what failed. -1 and errno: no process.
pid_t start_child(ChildPlan& plan);

}  // namespace atl::guest
