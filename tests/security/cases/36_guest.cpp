// Beyond the checklist: user code against the guest that runs it. After each attack the program
// prints and exits by itself: a guest that died or was starved would not deliver that.
#include <dirent.h>
#include <limits.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "attack.hpp"

namespace {

// Permission to signal is the escape: pid 1 is immune to most signals from inside by the kernel's
// own rule, but a guest that is not pid 1 (Docker, srt) is not.
void may_signal() { attack::verdict(kill(1, 0), "kill(1, 0)"); }
void may_signal_all() {
  // -1 never counts the caller itself or pid 1: another execution's process would be hit. Nobody is
  // there in this sandbox but the guest, so any success is a reach beyond.
  attack::verdict(kill(-1, 0), "kill(-1, 0)");
}
void may_signal_by_thread() { attack::verdict(syscall(SYS_tgkill, 1, 1, 0), "tgkill(1, 1, 0)"); }
void may_signal_by_pidfd() {
  long fd = syscall(SYS_pidfd_open, 1, 0);
  if (fd < 0) {
    attack::stopped(errno, "pidfd_open");
  }
  attack::verdict(syscall(SYS_pidfd_send_signal, fd, 0, nullptr, 0), "pidfd_send_signal(1, 0)");
}
// F_SETOWN lets the kernel send signals for us.
void may_signal_by_owner() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
    attack::broken("socketpair");
  }
  if (fcntl(pair[0], F_SETOWN, 1) != 0) {
    attack::stopped(errno, "F_SETOWN");
  }
  attack::holds("F_SETOWN is only a wish, checked when the signal is sent");
}

// The real thing: everything is fired, then this program must still be heard.
void kill_everything() {
  for (int number :
       {SIGTERM, SIGHUP, SIGUSR1, SIGSEGV, SIGCHLD, SIGPIPE, SIGSTOP, SIGTSTP, SIGKILL}) {
    kill(1, number);
    syscall(SYS_tgkill, 1, 1, number);
  }
  for (int number : {SIGHUP, SIGTERM, SIGKILL}) {
    kill(-1, number);
  }
  attack::holds("still heard after kill(-1, 9)");
}

void limit_files() {
  rlimit none{0, 0};
  long result = syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, &none, nullptr);
  attack::verdict(result, "prlimit(1, NOFILE, 0)");
}
void limit_files_high_bits() {
  rlimit none{0, 0};
  attack::verdict(syscall(SYS_prlimit64, 0x100000001UL, RLIMIT_NOFILE, &none, nullptr),
                  "prlimit(1, NOFILE, 0), high bits set");
}
void limit_parent() {
  rlimit none{0, 0};
  attack::verdict(syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, &none, nullptr),
                  "prlimit of the parent");
}
void limit_read() {
  rlimit now{};
  attack::verdict(syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, nullptr, &now), "prlimit(1) read");
}
// Our own limits stay ours to lower.
void limit_self() {
  rlimit now{};
  if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &now) != 0 ||
      syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &now, nullptr) != 0) {
    attack::stopped(errno, "prlimit(0)");
  }
  attack::through("own limits can be set");
}

void trace() { attack::verdict(ptrace(PTRACE_SEIZE, 1, nullptr, nullptr), "ptrace(SEIZE, 1)"); }
void priority() { attack::verdict(setpriority(PRIO_PROCESS, 1, 19), "setpriority(1, 19)"); }
void affinity() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  attack::verdict(sched_setaffinity(1, sizeof one, &one), "sched_setaffinity(1)");
}
void policy() {
  sched_param param{};
  attack::verdict(sched_setscheduler(1, SCHED_IDLE, &param), "sched_setscheduler(1, SCHED_IDLE)");
}
void io_priority() {
  attack::verdict(syscall(SYS_ioprio_set, 1, 1, 3 << 13), "ioprio_set(1, idle)");
}
void oom_score() {
  attack::verdict(open("/proc/1/oom_score_adj", O_WRONLY | O_CLOEXEC), "/proc/1/oom_score_adj");
}
void working_directory() {
  char target[PATH_MAX];
  attack::verdict(readlink("/proc/1/cwd", target, sizeof target), "/proc/1/cwd");
}
void root_directory() {
  attack::verdict(open("/proc/1/root/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "/proc/1/root");
}

// Talking to the guest's own listening socket, if it can be found by path or abstract name.
void find_socket() {
  static char table[65536];
  if (attack::slurp("/proc/net/unix", table, sizeof table) < 0) {
    attack::stopped(errno, "/proc/net/unix");
  }
  if (strstr(table, ".sock") != nullptr || strstr(table, "atoll") != nullptr) {
    attack::through("the guest's socket is listed: %s", table);
  }
  attack::holds("the guest's socket is not listed");
}

// Children that outlive us belong to the guest: more of them than it has room for must not starve
// it.
void flood_reaper() {
  for (int i = 0; i < 2000; ++i) {
    pid_t child = fork();
    if (child == 0) {
      if (fork() == 0) {
        _exit(0);
      }
      _exit(0);
    }
    if (child > 0) {
      waitpid(child, nullptr, 0);
    }
  }
  attack::holds("still heard after 2000 orphans");
}

// Signals everybody who can be signalled, for ever: a new execution is one of us for a moment
// before its program starts, and the guest waits for that moment to end. For guest_storm_test.cpp.
template <int kSignal>
void storm() {
  (void)!write(1, "ready\n", 6);
  for (;;) {
    kill(-1, kSignal);
  }
}
// As fast as the processors allow: everything about a process of our uid that can be changed.
void meddle() {
  (void)!write(1, "ready\n", 6);
  sched_param idle{};
  for (;;) {
    for (int pid = getpid() + 1; pid < getpid() + 40; ++pid) {
      sched_setscheduler(pid, SCHED_IDLE, &idle);
      setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19);
      setpgid(pid, 0);
      rlimit none{0, 0};
      syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, &none, nullptr);
    }
  }
}

constexpr attack::Attack kAttacks[] = {{"stop_storm", storm<SIGSTOP>},
                                       {"kill_storm", storm<SIGKILL>},
                                       {"segv_storm", storm<SIGSEGV>},
                                       {"meddle", meddle},
                                       {"may_signal", may_signal},
                                       {"may_signal_all", may_signal_all},
                                       {"may_signal_by_thread", may_signal_by_thread},
                                       {"may_signal_by_pidfd", may_signal_by_pidfd},
                                       {"may_signal_by_owner", may_signal_by_owner},
                                       {"kill_everything", kill_everything},
                                       {"prlimit", limit_files},
                                       {"prlimit_high_bits", limit_files_high_bits},
                                       {"prlimit_parent", limit_parent},
                                       {"prlimit_read", limit_read},
                                       {"prlimit_self", limit_self},
                                       {"ptrace", trace},
                                       {"setpriority", priority},
                                       {"sched_setaffinity", affinity},
                                       {"sched_setscheduler", policy},
                                       {"ioprio_set", io_priority},
                                       {"oom_score_adj", oom_score},
                                       {"cwd", working_directory},
                                       {"root", root_directory},
                                       {"find_socket", find_socket},
                                       {"flood_reaper", flood_reaper}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
