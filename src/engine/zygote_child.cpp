// The keeper of a zygote, and the interpreter between fork and exec: no allocation, no locks. What
// the interpreter becomes runs packages that nobody has vouched for. Reviewers read this file
// twice.
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <span>

#include "confine/capabilities.hpp"
#include "confine/seccomp.hpp"
#include "confine/user_process.hpp"
#include "engine/mount_calls.hpp"
#include "engine/zygote_start.hpp"

namespace atl::engine {
namespace {

constexpr unsigned kLoadTime = 120;          // s; the driver calls the alarm off when it is ready
constexpr std::uint64_t kOpenFiles = 65536;  // some seven a sandbox
constexpr uid_t kKeeperUid = kFirstZygoteUid - 1;

bool enter_tasks(const ControllerFds& tasks) noexcept {
  for (const UniqueFd& fd : tasks) {
    if (fd && ::write(fd.get(), "0", 1) != 1) return false;
  }
  return true;
}

// It sees the processes of its own pid namespace, and nothing that it could write to but its /tmp.
bool build_file_system(const KeeperPlan& plan) noexcept {
  constexpr unsigned long kProc = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  return ::mount("proc", "/proc", "proc", kProc, "hidepid=invisible") == 0 &&
         ::mount("atoll", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=1777") == 0 &&
         attach_mount(plan.library, "/opt/atoll/lib/enter.so");
}

// Makes `given` the descriptors 0, 1, … and closes all others.
bool arrange_descriptors(std::span<int> given) noexcept {
  constexpr int kAside = 64;
  for (int& fd : given) {
    fd = ::fcntl(fd, F_DUPFD_CLOEXEC, kAside);
    if (fd < 0) return false;
  }
  int next = 0;
  for (int fd : given) {
    if (::dup2(fd, next++) < 0) return false;
  }
  return ::syscall(SYS_close_range, next, ~0u, 0) == 0;
}

[[noreturn]] void run_interpreter(KeeperPlan& plan) noexcept {
  ::setsid();
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int given[] = {plan.driver.get(), null, null, plan.socket.get(), plan.report.get()};
  bool ready = enter_tasks(plan.leaf.doors().user) && arrange_descriptors(given);
  confine::UserPlan user{
      .switch_user = true, .uid = plan.uid, .gid = plan.uid, .open_files = kOpenFiles};
  ready = ready && confine::become_user(user).error == 0 && confine::install_zygote_seccomp() == 0;
  if (!ready) ::_exit(1);
  Text idle("ATOLL_ZYGOTE_IDLE=%u", plan.key.idle_seconds);
  const char* argv[] = {"python3", "-", "zygote", plan.key.modules.data(), nullptr};
  const char* env[] = {"PATH=/usr/local/bin:/usr/bin:/bin:/opt/atoll/bin",
                       idle.c_str(),
                       "HOME=/tmp",
                       "LANG=C.UTF-8",
                       "MPLCONFIGDIR=/tmp",
                       "PYTHONUNBUFFERED=1",
                       nullptr};
  ::umask(022);
  ::signal(SIGPIPE, SIG_DFL);
  ::alarm(kLoadTime);
  ::execve("/opt/atoll/bin/python", const_cast<char**>(argv), const_cast<char**>(env));
  ::_exit(127);
}

// It can signal what is below it, and do nothing else.
bool give_up_powers() noexcept {
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
         ::syscall(SYS_setresgid, kKeeperUid, kKeeperUid, kKeeperUid) == 0 &&
         confine::lock_securebits() == 0 &&
         ::syscall(SYS_setresuid, kKeeperUid, kKeeperUid, kKeeperUid) == 0 &&
         confine::keep_only_capabilities(1u << CAP_KILL) == 0 && confine::set_no_new_privs() == 0 &&
         ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && confine::install_seccomp() == 0;
}

// Kills the processes of a list.
void end_listed(int list) noexcept {
  char text[4096];
  constexpr ssize_t kMost = sizeof text - 1;
  ssize_t size = ::pread(list, text, kMost, 0);
  // A number that is cut off is another one; it is whole in a later round.
  bool cut = size == kMost;
  while (cut && size > 0 && text[size - 1] > ' ') --size;
  for (char* at = text; size > 0 && at < text + size;) {
    text[size] = '\0';
    auto pid = static_cast<pid_t>(std::strtol(at, &at, 10));
    if (pid > 1) send_kill(UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
    ++at;
  }
}

// Reaps what is orphaned here. When the interpreter ends, its place serves no more, but stays taken
// until the last sandbox that was made here is gone: pid 1's end would be theirs.
//
// What the zygote's modules have started is in its leaf, `procs`, or has put itself into another
// one and is orphaned: among the keeper's `children`. Those are never a sandbox's: its processes
// have a pid 1 of their own, and that one is a launcher's child.
[[noreturn]] void keep(pid_t interpreter, int life, int procs, int children) noexcept {
  for (pid_t ended = 0; ended != interpreter;) {
    ended = ::waitpid(-1, nullptr, 0);
    if (ended < 0 && errno == ECHILD) break;
  }
  constexpr std::uint32_t kNot = 0;
  (void)!::pwrite(life, &kNot, sizeof kNot, offsetof(ZygotePlace, serves));
  for (;;) {
    end_listed(procs);
    end_listed(children);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (::kill(-1, 0) != 0 && errno == ESRCH) ::_exit(0);
    ::usleep(200'000);
  }
}

}  // namespace

void run_keeper_child(KeeperPlan& plan) noexcept {
  ::setsid();
  struct flock lock{.l_type = F_WRLCK, .l_whence = SEEK_SET};
  bool ready =
      ::fcntl(plan.life.get(), F_SETLK, &lock) == 0 && build_file_system(plan) && ::chdir("/") == 0;
  plan.turn.reset();
  UniqueFd procs = plan.leaf.open_processes();
  UniqueFd children(::open("/proc/self/task/1/children", O_RDONLY | O_CLOEXEC));
  pid_t interpreter = ready && procs && children ? ::fork() : -1;
  if (interpreter == 0) run_interpreter(plan);
  // Not through arrange_descriptors(): closing any descriptor of a file gives up the process's
  // locks on it.
  int life = plan.life.get();
  int started = plan.started.get();
  bool held = interpreter > 0 && ::dup2(procs.get(), 0) == 0 && ::dup2(children.get(), 1) == 1 &&
              give_up_powers();
  if (!held || ::write(started, "1", 1) != 1) ::_exit(1);
  for (int fd = 2; fd < 256; ++fd) {
    if (fd != life) ::close(fd);
  }
  keep(interpreter, life, 0, 1);
}

}  // namespace atl::engine
