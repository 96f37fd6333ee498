// For attackers that pin memory of the kernel without touching a page of their own: as many
// processes as it takes hold objects of one kind until the goal (the attack's argument, in bytes)
// is reached. What an object weighs is counted too low rather than too high: payload where there is
// one, else a part of the structure's size.
#pragma once

#include "attack.hpp"

namespace attack {

using Bytes = unsigned long long;

inline constexpr int kChildren = 64;  // of 100 processes that a sandbox may have

inline char g_block[65536];

// Takes until `goal` is reached or the kernel refuses, and keeps it: what it got, errno says why.
using Fill = Bytes (*)(Bytes goal);

struct Report {
  Bytes held;
  int error;
};

// What the machine has left, in KiB: for the reader of a run; neighbours move it.
inline long available() {
  char text[4096];
  if (slurp("/proc/meminfo", text, sizeof text) <= 0) {
    return 0;
  }
  const char* at = strstr(text, "MemAvailable:");
  return at != nullptr ? atol(at + 13) : 0;
}

// The child's report; ends the attack when the child was killed.
inline Report wait_for(pid_t child, int from) {
  Report report{};
  for (;;) {
    if (read(from, &report, sizeof report) == sizeof report) {
      return report;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFSIGNALED(status)) {
        stopped_by_signal(WTERMSIG(status), "the holder of the memory");
      }
      return {0, ECHILD};
    }
    usleep(1000);
  }
}

template <Fill FillUp>
void spread() {
  Bytes goal = number(0);
  memset(g_block, 1, sizeof g_block);
  int pipes[2];
  if (pipe2(pipes, O_NONBLOCK) != 0) {
    broken("pipe");
  }
  long before = available();
  Bytes total = 0;
  int error = ENOBUFS;
  for (int process = 0; process < kChildren && total < goal; ++process) {
    pid_t child = fork();
    if (child < 0) {
      stopped(errno, "fork");
    }
    if (child == 0) {
      errno = ENOBUFS;
      Report mine{FillUp(goal - total), 0};
      mine.error = errno;
      (void)!write(pipes[1], &mine, sizeof mine);
      alarm(60);
      pause();
      _exit(0);
    }
    Report report = wait_for(child, pipes[0]);
    total += report.held;
    if (report.error != 0) {
      error = report.error;
    }
  }
  dprintf(1, "%llu bytes held; the machine has %ld KiB less\n", total, before - available());
  if (total < goal) {
    stopped(error, "kernel memory");
  }
  through("%llu bytes of kernel memory", total);
}

template <typename Make>
Bytes repeat(Bytes goal, Bytes weight, Make make) {
  Bytes held = 0;
  while (held < goal && make()) {
    held += weight;
  }
  return held;
}

}  // namespace attack
