#include "confine/user_process.hpp"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "confine/capabilities.hpp"
#include "confine/execution_mark.hpp"
#include "confine/landlock.hpp"
#include "confine/seccomp.hpp"
#include "confine/walls.hpp"

namespace atl::confine {
namespace {

// A limit above the hard one is refused with EPERM: then a stricter one stands already.
bool limit(int resource, std::uint64_t value) {
  struct {
    std::uint64_t soft, hard;
  } both{value, value};
  return ::syscall(SYS_prlimit64, 0, resource, &both, nullptr) == 0 || errno == EPERM;
}

// Generous ones may have been inherited from whoever started Atoll.
bool set_limits(const UserPlan& plan) {
  constexpr std::uint64_t kLockedBytes = 8 << 20;
  constexpr std::uint64_t kQueueBytes = 800 << 10;
  constexpr std::uint64_t kPendingSignals = 4096;
  return limit(RLIMIT_CORE, 0) && limit(RLIMIT_RTPRIO, 0) && limit(RLIMIT_NICE, 0) &&
         limit(RLIMIT_MEMLOCK, kLockedBytes) && limit(RLIMIT_MSGQUEUE, kQueueBytes) &&
         limit(RLIMIT_SIGPENDING, kPendingSignals) &&
         (plan.open_files == 0 || limit(RLIMIT_NOFILE, plan.open_files)) &&
         (plan.data_bytes == 0 || limit(RLIMIT_DATA, plan.data_bytes));
}

bool mark_execution() {
  timespec now{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return limit(kMarkResource, make_mark(now, static_cast<int>(::syscall(SYS_getpid))));
}

StepError failed(UserStep step, int error) { return {error == 0 ? UserStep::kNone : step, error}; }

StepError change_uid(const UserPlan& plan) {
  // Locked securebits keep the capabilities across the change of uid, so that the bounding set can
  // still be emptied behind it, and forbid that any come back later.
  if (wall_up(Wall::kNoCapabilities)) {
    if (int error = lock_securebits()) return {UserStep::kCapabilities, error};
  }
  // EPERM: setgroups is off in this user namespace, and so there are no groups to lose.
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 && errno != EPERM) return {UserStep::kUser, errno};
  bool changed = ::syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) == 0 &&
                 ::syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) == 0;
  return failed(UserStep::kUser, changed ? 0 : errno);
}

}  // namespace

StepError become_user(const UserPlan& plan) noexcept {
  if (wall_up(Wall::kFileLimits) && !set_limits(plan)) return {UserStep::kLimits, errno};
  if (plan.execution && !mark_execution()) return {UserStep::kLimits, errno};
  bool switch_user = plan.switch_user && wall_up(Wall::kOwnUids);
  if (switch_user) {
    if (StepError error = change_uid(plan); error.error != 0) return error;
  }
  if (wall_up(Wall::kNoCapabilities)) {
    if (int error = keep_only_capabilities(plan.kept_caps)) return {UserStep::kCapabilities, error};
  }
  if (!wall_up(Wall::kNoNewPrivs)) return {};
  if (int error = set_no_new_privs()) return {UserStep::kNoNewPrivs, error};
  if (wall_up(Wall::kSeccomp)) {
    if (int error = install_user_seccomp(plan.execution)) return {UserStep::kSeccomp, error};
  }
  // With a uid of its own the guest is out of reach already, and a domain per execution would keep
  // one program from signalling another's (docs/adr/0007-uids-before-landlock.md).
  if (switch_user || !wall_up(Wall::kLandlock)) return {};
  int error = enter_landlock_scopes();
  bool no_such_thing = error == ENOSYS || error == EOPNOTSUPP;
  return failed(UserStep::kLandlock, no_such_thing ? 0 : error);
}

}  // namespace atl::confine
