// The control group around what runs in a sandbox of srt, which itself limits nothing. The server
// makes sandboxes without privileges, so it works in a group that was handed to it while it was
// root: atoll/srt-UID, on cgroup v1 in every hierarchy. Without one, or without a controller, those
// limits do not hold. All of it blocks for moments.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::srt {

// As root, for the user that this process becomes. On v2 this process moves into the group, as only
// what sits in it can be moved about in it by that user.
void hand_over_cgroups(unsigned uid, unsigned gid);

class Cgroup {
 public:
  enum Controller { kMemory, kCpu, kCpuAccount, kPids, kControllers };

  // Whether sandboxes made by this user will have one.
  static bool is_there();
  static Cgroup of(const SandboxId& id);

  void make(const sandbox::Limits& limits);
  void set_limits(const sandbox::Limits& limits);
  void take(pid_t pid);
  bool holds(Controller controller) const { return limited_[controller] && taken_[controller]; }
  // Its figures; the memory's limit is not among them.
  sandbox::Usage usage() const;
  Result<void> remove() const;

 private:
  std::string folder_[kControllers];  // v2: the same for all
  bool limited_[kControllers] = {};
  bool taken_[kControllers] = {};
};

// The guest that runs below this process, as the host numbers it; 0: there is none.
pid_t find_guest(pid_t srt);

}  // namespace atl::backends::srt
