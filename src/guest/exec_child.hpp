// What happens in a new process of the user, between fork and execve: raw system calls only. Not
// vfork: from the change of uid on, other code of the sandbox can stop the child, and a guest that
// shared its memory would stand still with it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "confine/user_process.hpp"

namespace atl::guest {

using ChildStep = confine::UserStep;
using ChildReport = confine::StartReport;
inline constexpr int kChildStartTime = 2000;  // ms

struct ChildPlan {
  const int* task_fds = nullptr;  // files that take "0": the process moves itself into the user's
                                  // cgroups
  std::size_t task_count = 0;
  int stdio[3] = {-1, -1, -1};  // all above 2
  int control = -1;             // above 3; becomes 3
  bool tty = false;
  confine::UserPlan user;
  int guard = 0;  // the guest's pid where it can be reached; 0: it cannot
  const char* cwd = nullptr;
  bool cwd_optional = false;              // a missing one becomes "/"
  const char* const* programs = nullptr;  // paths to try, null-terminated
  char* const* argv = nullptr;
  char* const* env = nullptr;

  int report = -1;  // where the child says what failed; closed by a successful execve

  ChildReport result;
};

// Starts it; returns once the program runs or the plan says what failed. -1 and errno: no process.
pid_t start_child(ChildPlan& plan);

}  // namespace atl::guest
