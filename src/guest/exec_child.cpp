#include "guest/exec_child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "confine/capabilities.hpp"
#include "confine/landlock.hpp"
#include "confine/seccomp.hpp"
#include "confine/walls.hpp"

namespace atl::guest {
namespace {

using confine::Wall;
using confine::wall_up;

constexpr int kStartTime = 2000;  // ms

struct ChildFailure {
  ChildStep step = ChildStep::kNone;
  int error = 0;
};

[[noreturn]] void stop(const ChildPlan& plan, ChildStep step, int error) {
  ChildFailure failure{step, error};
  [[maybe_unused]] ssize_t written = ::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
}

// A limit above the hard one is refused with EPERM: then a stricter one stands already.
bool limit(int resource, std::uint64_t value) {
  struct {
    std::uint64_t soft, hard;
  } both{value, value};
  return ::syscall(SYS_prlimit64, 0, resource, &both, nullptr) == 0 || errno == EPERM;
}

void become_user(const ChildPlan& plan) {
  bool switch_user = plan.switch_user && wall_up(Wall::kOwnUids);
  if (switch_user) {
    // Locked securebits keep the capabilities across the change of uid, so that the bounding set
    // can still be emptied behind it, and forbid that any come back later.
    if (wall_up(Wall::kNoCapabilities)) {
      if (int error = confine::lock_securebits()) stop(plan, ChildStep::kCapabilities, error);
    }
    // EPERM: setgroups is off in this user namespace, and so there are no groups to lose.
    if (::syscall(SYS_setgroups, 0, nullptr) != 0 && errno != EPERM) {
      stop(plan, ChildStep::kUser, errno);
    }
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
  if (wall_up(Wall::kSeccomp)) {
    if (int error = confine::install_user_seccomp()) stop(plan, ChildStep::kSeccomp, error);
  }
  // With a uid of its own the guest is out of reach already, and a domain per execution would keep
  // one program from signalling another's (docs/adr/0007-uids-before-landlock.md).
  if (!switch_user && wall_up(Wall::kLandlock)) {
    int error = confine::enter_landlock_scopes();
    if (error != 0 && error != ENOSYS && error != EOPNOTSUPP) {
      stop(plan, ChildStep::kLandlock, error);
    }
  }
}

[[noreturn]] void run_program(const ChildPlan& plan) {
  int error = ENOENT;
  for (const char* const* program = plan.programs; *program != nullptr; ++program) {
    ::syscall(SYS_execve, *program, plan.argv, plan.env);
    if (errno == EACCES) error = EACCES;  // found, but perhaps a later folder has a better one
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) stop(plan, ChildStep::kExec, errno);
  }
  stop(plan, ChildStep::kExec, error);
}

// Generous ones may have been inherited from whoever started Atoll.
bool set_limits(const ChildPlan& plan) {
  constexpr std::uint64_t kLockedBytes = 8 << 20;
  constexpr std::uint64_t kQueueBytes = 800 << 10;
  constexpr std::uint64_t kPendingSignals = 4096;
  return limit(RLIMIT_CORE, 0) && limit(RLIMIT_RTPRIO, 0) && limit(RLIMIT_NICE, 0) &&
         limit(RLIMIT_MEMLOCK, kLockedBytes) && limit(RLIMIT_MSGQUEUE, kQueueBytes) &&
         limit(RLIMIT_SIGPENDING, kPendingSignals) &&
         (plan.open_files == 0 || limit(RLIMIT_NOFILE, plan.open_files)) &&
         (plan.data_bytes == 0 || limit(RLIMIT_DATA, plan.data_bytes));
}

[[noreturn]] void child_main(const ChildPlan& plan) {
  for (std::size_t i = 0; i < plan.task_count; ++i) {
    if (::write(plan.task_fds[i], "0", 1) != 1) stop(plan, ChildStep::kCgroup, errno);
  }
  ::setsid();  // cannot fail in a process that leads nothing yet
  if (plan.tty && ::ioctl(plan.stdio[0], TIOCSCTTY, 0) != 0) {
    stop(plan, ChildStep::kTerminal, errno);
  }
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(plan.stdio[fd], fd) < 0) stop(plan, ChildStep::kStdio, errno);
  }
  if (wall_up(Wall::kCleanStart)) ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  std::uint64_t no_signals = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof no_signals);
  if (wall_up(Wall::kFileLimits) && !set_limits(plan)) stop(plan, ChildStep::kLimits, errno);
  become_user(plan);
  if (::chdir(plan.cwd) != 0 && !(plan.cwd_optional && ::chdir("/") == 0)) {
    stop(plan, ChildStep::kDirectory, errno);
  }
  run_program(plan);
}

}  // namespace

pid_t start_child(ChildPlan& plan) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  UniqueFd report(ends[0]);
  UniqueFd theirs(ends[1]);
  plan.report = theirs.get();
  pid_t pid = ::fork();
  if (pid == 0) child_main(plan);
  if (pid < 0) return -1;
  theirs.reset();
  pollfd end{report.get(), POLLIN, 0};
  ChildFailure failure;
  if (::poll(&end, 1, kStartTime) == 0) {
    ::kill(pid, SIGKILL);
    failure = {ChildStep::kStopped, EAGAIN};
  } else if (::read(report.get(), &failure, sizeof failure) <= 0) {
    failure = {};
  }
  plan.failed = failure.step;
  plan.error = failure.error;
  return pid;
}

}  // namespace atl::guest
