// Line 23: zombies and daemons. `daemon MARKER` leaves a double-forked process behind, in its own
// session, deaf to signals, without our streams; the runner looks for it on the host afterwards.
// `zombies` makes orphans that end at once and looks whether somebody buries them.
#include <dirent.h>

#include "attack.hpp"

namespace {

void leave_daemon() {
  const char* marker = attack::argument(0);
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      for (int number = 1; number < 32; ++number) {
        signal(number, SIG_IGN);
      }
      for (int fd = 0; fd < 3; ++fd) {
        close(fd);
      }
      execl("/proc/self/exe", "daemon", "linger", marker, nullptr);
    }
    _exit(0);
  }
  wait(nullptr);
  attack::holds("left a daemon behind");
}

// Ends by itself in case nobody ends it, long after the runner has lost its patience.
void linger() {
  for (int i = 0; i < 2400; ++i) {
    usleep(500000);
  }
  _exit(0);
}

int count_zombies() {
  DIR* dir = opendir("/proc");
  int zombies = 0;
  while (dirent* entry = readdir(dir)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') {
      continue;
    }
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", atoi(entry->d_name));
    if (attack::slurp(path, text, sizeof text) <= 0) {
      continue;
    }
    const char* after = strrchr(text, ')');
    zombies += after != nullptr && after[2] == 'Z';
  }
  closedir(dir);
  return zombies;
}

void zombies() {
  for (int i = 0; i < 200; ++i) {
    pid_t child = fork();
    if (child < 0) {
      attack::broken("fork %d", i);
    }
    if (child == 0) {
      if (fork() == 0) {
        _exit(3);  // orphaned at once: pid 1 must reap it
      }
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  int left = 0;
  for (int i = 0; i < 1500; ++i) {
    left = count_zombies();
    if (left == 0) {
      attack::holds("200 orphans were buried");
    }
    usleep(10000);
  }
  attack::through("%d zombies are left", left);
}

constexpr attack::Attack kAttacks[] = {
    {"daemon", leave_daemon}, {"linger", linger}, {"zombies", zombies}};

}  // namespace

int main(int argc, char** argv) {
  // The daemon's argv[0] is its name, "linger" its attack.
  return attack::choose(argc, argv, kAttacks);
}
