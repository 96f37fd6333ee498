// Line 15: processes of the host and of other sandboxes. The runner starts a victim and names it:
// by its pid on the host and by a marker in its command line. One pid is ever signalled, with
// signal 0.
#include <dirent.h>
#include <sys/ptrace.h>

#include "attack.hpp"

namespace {

void see() {
  const char* marker = attack::argument(0);
  DIR* dir = opendir("/proc");
  if (dir == nullptr) {
    attack::broken("opendir /proc");
  }
  int seen = 0;
  while (dirent* entry = readdir(dir)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || atoi(entry->d_name) == getpid()) {
      continue;
    }
    ++seen;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", atoi(entry->d_name));
    char line[4096] = {};
    ssize_t got = attack::slurp(path, line, sizeof line);
    for (ssize_t i = 0; i + 1 < got; ++i) {
      line[i] = line[i] == 0 ? ' ' : line[i];
    }
    if (got > 0 && strstr(line, marker) != nullptr) {
      attack::through("pid %s is the victim: %s", entry->d_name, line);
    }
  }
  attack::holds("%d other processes, none of them the victim", seen);
}

// EPERM is through as well: the number names the victim, and only its uid saves it.
void signal_victim() {
  attack::reached(kill(static_cast<pid_t>(attack::number(0)), 0), {EPERM}, "kill(victim, 0)");
}
void trace_victim() {
  pid_t victim = static_cast<pid_t>(attack::number(0));
  long result = ptrace(PTRACE_SEIZE, victim, nullptr, nullptr);
  attack::verdict(result, "ptrace(SEIZE, victim)");
}
void open_victim() {
  char path[64];
  snprintf(path, sizeof path, "/proc/%llu/root/etc", attack::number(0));
  attack::reached(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), {EACCES, EPERM},
                  "the victim's root folder");
}
void renice_victim() {
  attack::verdict(syscall(SYS_getpriority, 0 /*PRIO_PROCESS*/, attack::number(0)),
                  "getpriority(victim)");
}

constexpr attack::Attack kAttacks[] = {{"see", see},
                                       {"signal", signal_victim},
                                       {"ptrace", trace_victim},
                                       {"root", open_victim},
                                       {"priority", renice_victim}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
