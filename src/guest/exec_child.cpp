#include "guest/exec_child.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "confine/guard.hpp"
#include "confine/walls.hpp"

namespace atl::guest {
namespace {

using confine::Wall;
using confine::wall_up;

[[noreturn]] void stop(const ChildPlan& plan, ChildStep step, int error) {
  ChildReport failure{step, error, 0};
  [[maybe_unused]] ssize_t written = ::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
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
  unsigned kept = 3;
  if (plan.control >= 0 && ::dup2(plan.control, static_cast<int>(kept++)) < 0) {
    stop(plan, ChildStep::kStdio, errno);
  }
  if (wall_up(Wall::kCleanStart)) ::syscall(SYS_close_range, kept, ~0U, CLOSE_RANGE_CLOEXEC);
  std::uint64_t no_signals = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof no_signals);
  confine::StepError user = confine::become_user(plan.user);
  if (user.step != ChildStep::kNone) stop(plan, user.step, user.error);
  if (plan.guard != 0 && wall_up(Wall::kSeccomp)) {
    if (int error = confine::install_guard(plan.guard)) stop(plan, ChildStep::kSeccomp, error);
  }
  if (::chdir(plan.cwd) != 0 && !(plan.cwd_optional && ::chdir("/") == 0)) {
    stop(plan, ChildStep::kDirectory, errno);
  }
  run_program(plan);
}

bool is_stopped(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG) == 0 &&
         info.si_pid == pid;
}

// From its change of uid to its exec the child can be stopped by its neighbours. The guest serves
// nobody meanwhile, so such a child is woken a few times and then given up.
bool wait_for_start(pid_t pid, int report) {
  constexpr int kLook = 10;  // ms
  constexpr int kWakeUps = 3;
  pollfd end{report, POLLIN, 0};
  int stops = 0;
  for (int waited = 0; ::poll(&end, 1, kLook) == 0; waited += kLook) {
    if (waited >= kChildStartTime) return false;
    if (!is_stopped(pid)) continue;
    if (++stops > kWakeUps) return false;
    ::kill(pid, SIGCONT);
  }
  return true;
}

}  // namespace

pid_t start_child(ChildPlan& plan) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  UniqueFd report(ends[0]);
  // Above the numbers that the child fills before it is done with this one.
  UniqueFd theirs(::fcntl(ends[1], F_DUPFD_CLOEXEC, 4));
  ::close(ends[1]);
  if (!theirs) return -1;
  plan.report = theirs.get();
  pid_t pid = ::fork();
  if (pid == 0) child_main(plan);
  if (pid < 0) return -1;
  theirs.reset();
  if (!wait_for_start(pid, report.get())) {
    ::kill(pid, SIGKILL);
    plan.result = {ChildStep::kStopped, EAGAIN, pid};
  } else if (::read(report.get(), &plan.result, sizeof plan.result) <= 0) {
    plan.result = {};
  }
  return pid;
}

}  // namespace atl::guest
