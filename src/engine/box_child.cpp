// Pid 1 of a sandbox, between clone and exec of the guest: no allocation, no locks, nothing but
// system calls on what BoxPlan holds. The rest of its set-up is the guest's (guest/build_box.cpp),
// which has powers over its own user namespace only. Reviewers read this file twice.
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "confine/capabilities.hpp"
#include "confine/walls.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

using confine::Wall;
using confine::wall_up;

[[noreturn]] void die(const BoxPlan& plan, Step step, int error = errno) noexcept {
  Failure failure{step, error};
  (void)!::write(plan.failure.get(), &failure, sizeof failure);
  ::_exit(1);
}

// Where the sandbox has one uid, exec would take the powers that building needs: they are handed
// on as ambient ones.
bool keep_powers() noexcept {
  if (confine::keep_only_capabilities(~std::uint64_t{0}, true) != 0) return false;
  for (unsigned long cap : {CAP_SYS_ADMIN, CAP_SETPCAP, CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER}) {
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) != 0) return false;
  }
  return true;
}

void set_identity(const BoxPlan& plan) noexcept {
  unsigned uid = plan.request.start.guest_uid;
  bool is_root = uid == kGuestUid;
  if (!is_root) ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  if ((!plan.rootless && ::setgroups(0, nullptr) != 0) ||
      ::syscall(SYS_setresgid, uid, uid, uid) != 0 ||
      ::syscall(SYS_setresuid, uid, uid, uid) != 0 || (!is_root && !keep_powers())) {
    die(plan, Step::kIdentity);
  }
}

void enter(const BoxPlan& plan, const ControllerFds& doors) noexcept {
  for (const UniqueFd& door : doors) {
    if (door && ::write(door.get(), "0", 1) != 1) die(plan, Step::kTasks);
  }
}

// Before exec: the doors that the launcher opened with its own rights stay outside. The cgroup
// namespace is made while standing in the user's leaf: user code sees itself at "/".
void enter_cgroups(const BoxPlan& plan) noexcept {
  const SlotCgroup::Doors& doors = plan.cgroup.doors();
  enter(plan, doors.entry[kMemory] ? doors.entry : doors.user);
  if (wall_up(Wall::kCgroupNs) && ::unshare(CLONE_NEWCGROUP) != 0) die(plan, Step::kTasks);
  enter(plan, doors.guest);
}

// The guest gets one descriptor, by which the others come.
[[noreturn]] void become_guest(BoxPlan& plan) noexcept {
  static_assert(guest::kConfigFd == kHelperSocket);
  // Not on the number of that one: failing to execute must be told.
  int failure = ::fcntl(plan.failure.get(), F_DUPFD_CLOEXEC, kHelperSocket + 1);
  if (failure < 0) die(plan, Step::kExecGuest);
  plan.failure.reset(failure);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < kHelperSocket; ++fd) {
    if (::dup2(null, fd) < 0) die(plan, Step::kExecGuest);
  }
  become(plan.guest_program, plan.orders.get(), "atoll-guest");
  die(plan, Step::kExecGuest);
}

// Before exec: until then nobody can look into this process, and after it the owner of its user
// namespace can. He must not find the host's /proc there. Read-only as a whole: nobody inside may
// write more there than his own processes' names.
void mount_proc(const BoxPlan& plan) noexcept {
  unsigned long read_only = wall_up(Wall::kMaskedProc) ? MS_RDONLY : 0;
  unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | read_only;
  if (wall_up(Wall::kPidNs) && ::mount("proc", "/proc", "proc", flags, nullptr) != 0) {
    die(plan, Step::kProc);
  }
}

}  // namespace

void run_box_child(BoxPlan& plan) noexcept {
  ::setsid();
  ::close(plan.go_ahead_write);
  // A launcher that died says no more.
  char byte = 0;
  if (::read(plan.go_ahead.get(), &byte, 1) != 1) die(plan, Step::kMaps, EPIPE);
  // A mapped identity first: what is made from here on must have an owner that exists inside.
  if (wall_up(Wall::kUserNs)) set_identity(plan);
  enter_cgroups(plan);
  mount_proc(plan);
  become_guest(plan);
}

}  // namespace atl::engine
