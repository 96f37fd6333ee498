#include "guest/exec_child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/capabilities.hpp"
#include "confine/landlock.hpp"
#include "confine/walls.hpp"

namespace atl::guest {
namespace {

using confine::Wall;
using confine::wall_up;

// The guest waits while the child runs on this stack, so there is never more than one.
alignas(16) char child_stack[32 * 1024];

[[noreturn]] void stop(ChildPlan& plan, ChildStep step, int error) {
  plan.failed = step;
  plan.error = error;
  ::syscall(SYS_exit_group, 127);
  __builtin_unreachable();
}

// A limit above the hard one is refused with EPERM: then a stricter one stands already.
bool limit(int resource, std::uint64_t value) {
  struct {
    std::uint64_t soft, hard;
  } both{value, value};
  return ::syscall(SYS_prlimit64, 0, resource, &both, nullptr) == 0 || errno == EPERM;
}

void become_user(ChildPlan& plan) {
  bool switch_user = plan.switch_user && wall_up(Wall::kOwnUids);
  if (switch_user) {
    // Locked securebits keep the capabilities across the change of uid, so that the bounding set can
    // still be emptied behind it, and forbid that any come back later.
    if (wall_up(Wall::kNoCapabilities)) {
      if (int error = confine::lock_securebits()) stop(plan, ChildStep::kCapabilities, error);
    }
    // EPERM: setgroups is off in this user namespace, and so there are no groups to lose.
    if (::syscall(SYS_setgroups, 0, nullptr) != 0 && errno != EPERM) stop(plan, ChildStep::kUser, errno);
    if (::syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) != 0 ||
        ::syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) != 0) {
      stop(plan, ChildStep::kUser, errno);
    }
  }
  if (wall_up(Wall::kNoCapabilities)) {
    if (int error = confine::keep_only_capabilities(0)) stop(plan, ChildStep::kCapabilities, error);
  }
  if (!wall_up(Wall::kNoNewPrivs)) return;
  if (int error = confine::set_no_new_privs()) stop(plan, ChildStep::kNoNewPrivs, error);
  // With a uid of its own the guest is out of reach already, and a domain per execution would keep one
  // program from signalling another's (docs/adr/0007-uids-before-landlock.md).
  if (!switch_user && wall_up(Wall::kLandlock)) {
    int error = confine::enter_landlock_scopes();
    if (error != 0 && error != ENOSYS && error != EOPNOTSUPP) stop(plan, ChildStep::kLandlock, error);
  }
}

[[noreturn]] void run_program(ChildPlan& plan) {
  int error = ENOENT;
  for (const char* const* program = plan.programs; *program != nullptr; ++program) {
    ::syscall(SYS_execve, *program, plan.argv, plan.env);
    if (errno == EACCES) error = EACCES;  // found, but perhaps a later folder has a better one
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) stop(plan, ChildStep::kExec, errno);
  }
  stop(plan, ChildStep::kExec, error);
}

int child_main(void* argument) {
  auto& plan = *static_cast<ChildPlan*>(argument);
  for (std::size_t i = 0; i < plan.task_count; ++i) {
    if (::write(plan.task_fds[i], "0", 1) != 1) stop(plan, ChildStep::kCgroup, errno);
  }
  ::setsid();  // cannot fail in a process that leads nothing yet
  if (plan.tty && ::ioctl(plan.stdio[0], TIOCSCTTY, 0) != 0) stop(plan, ChildStep::kTerminal, errno);
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(plan.stdio[fd], fd) < 0) stop(plan, ChildStep::kStdio, errno);
  }
  if (wall_up(Wall::kCleanStart)) ::syscall(SYS_close_range, 3, ~0U, 0);
  std::uint64_t no_signals = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof no_signals);
  if (wall_up(Wall::kFileLimits)) {
    bool ok = limit(RLIMIT_CORE, 0) && (plan.open_files == 0 || limit(RLIMIT_NOFILE, plan.open_files)) &&
              (plan.data_bytes == 0 || limit(RLIMIT_DATA, plan.data_bytes));
    if (!ok) stop(plan, ChildStep::kLimits, errno);
  }
  become_user(plan);
  if (::chdir(plan.cwd) != 0 && !(plan.cwd_optional && ::chdir("/") == 0)) {
    stop(plan, ChildStep::kDirectory, errno);
  }
  run_program(plan);
}

}  // namespace

pid_t start_child(ChildPlan& plan) {
  return ::clone(&child_main, child_stack + sizeof child_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
}

}  // namespace atl::guest
