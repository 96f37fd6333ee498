// A zygote between clone and exec: no allocation, no locks. What it becomes runs packages that
// nobody has vouched for, in the host's pid namespace (a sandbox's can be entered only from above).
// Reviewers read this file twice.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/seccomp.hpp"
#include "confine/user_process.hpp"
#include "engine/sys.hpp"
#include "engine/zygote.hpp"

namespace atl::engine {
namespace {

constexpr unsigned kLoadTime = 120;          // s; the driver calls the alarm off when it is ready
constexpr std::uint64_t kOpenFiles = 65536;  // some seven a sandbox

bool enter_tasks(const ControllerFds& tasks) noexcept {
  for (const UniqueFd& fd : tasks) {
    if (fd && ::write(fd.get(), "0", 1) != 1) return false;
  }
  return true;
}

// It sees its own processes alone, and nothing that it could write to but its own /tmp.
bool build_file_system(const ZygotePlan& plan) noexcept {
  constexpr unsigned long kProc = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  return ::mount("proc", "/proc", "proc", kProc, "hidepid=invisible") == 0 &&
         ::mount("atoll", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=1777") == 0 &&
         attach_mount(plan.library, "/opt/atoll/lib/enter.so");
}

// 0 script, 1 and 2 /dev/null, 3 socket, 4 word; its lock out of the way of everything else. The
// turn of whoever starts zygotes ends with exec, when that lock is there.
bool arrange_descriptors(ZygotePlan& plan) noexcept {
  constexpr int kLife = 199, kTurn = 200;  // zygote.py knows the first
  plan.given[1] = plan.given[2] = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  constexpr int kTargets[] = {0, 1, 2, 3, 4, kLife, kTurn};
  for (int& source : plan.given) {
    source = ::fcntl(source, F_DUPFD_CLOEXEC, kTurn + 1);
    if (source < 0) return false;
  }
  for (int i = 0; int source : plan.given) {
    if (::dup2(source, kTargets[i++]) < 0) return false;
  }
  struct flock lock{.l_type = F_RDLCK, .l_whence = SEEK_SET};
  // Locked at last: closing any descriptor of a file gives up the process's locks on it.
  return ::fcntl(kTurn, F_SETFD, FD_CLOEXEC) == 0 &&
         ::syscall(SYS_close_range, 5, kLife - 1, 0) == 0 &&
         ::syscall(SYS_close_range, kTurn + 1, ~0u, 0) == 0 && ::fcntl(kLife, F_SETLK, &lock) == 0;
}

}  // namespace

void run_zygote_child(ZygotePlan& plan) noexcept {
  ::setsid();
  bool ready = enter_tasks(plan.tasks) && build_file_system(plan) && arrange_descriptors(plan) &&
               ::chdir("/") == 0;
  confine::UserPlan user{
      .switch_user = true, .uid = plan.uid, .gid = plan.uid, .open_files = kOpenFiles};
  ready = ready && confine::become_user(user).error == 0 && confine::install_zygote_seccomp() == 0;
  if (!ready) ::_exit(1);
  ::umask(022);
  ::signal(SIGPIPE, SIG_DFL);
  ::alarm(kLoadTime);
  ::execve("/opt/atoll/bin/python", plan.argv, plan.env);
  ::_exit(127);
}

}  // namespace atl::engine
