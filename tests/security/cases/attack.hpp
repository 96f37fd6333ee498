// What every attacker shares. An attacker tries one escape and says how it went: exit 0 "through",
// exit 10 "stopped: HOW …" where HOW is an errno name, a signal name or HOLDS (a property that was
// looked for and is there), anything else is a broken test. run_cases.py reads the last such line.
// Attackers run inside a sandbox only, and what they do when they get through is harmless.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>
#include <span>

namespace attack {

inline constexpr int kThrough = 0;
inline constexpr int kBroken = 1;
inline constexpr int kStopped = 10;

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void through(const char* format, ...) {
  va_list list;
  va_start(list, format);
  dprintf(1, "through: ");
  vdprintf(1, format, list);
  dprintf(1, "\n");
  _exit(kThrough);
}

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void broken(const char* format, ...) {
  int error = errno;
  va_list list;
  va_start(list, format);
  dprintf(1, "broken: ");
  vdprintf(1, format, list);
  dprintf(1, " (errno %d %s)\n", error, strerror(error));
  _exit(kBroken);
}

[[noreturn]] inline void stopped(int error, const char* what) {
  const char* name = strerrorname_np(error);
  dprintf(1, "stopped: %s %s\n", name != nullptr ? name : "E?", what);
  _exit(kStopped);
}

[[noreturn]] inline void stopped_by_signal(int number, const char* what) {
  const char* name = sigabbrev_np(number);
  dprintf(1, "stopped: SIG%s %s\n", name != nullptr ? name : "?", what);
  _exit(kStopped);
}

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void holds(const char* format, ...) {
  va_list list;
  va_start(list, format);
  dprintf(1, "stopped: HOLDS ");
  vdprintf(1, format, list);
  dprintf(1, "\n");
  _exit(kStopped);
}

// The call itself is the escape.
[[noreturn]] inline void verdict(long result, const char* what) {
  if (result >= 0) {
    through("%s gave %ld", what, result);
  }
  stopped(errno, what);
}

// Reaching the kernel's own code is the escape: these errnos come from behind the wall, from checks
// that the handler makes before it looks at privileges.
[[noreturn]] inline void reached(long result, std::initializer_list<int> from_behind,
                                 const char* what) {
  if (result >= 0) {
    through("%s gave %ld", what, result);
  }
  for (int error : from_behind) {
    if (errno == error) {
      through("%s reached the kernel: %s", what, strerrorname_np(error));
    }
  }
  stopped(errno, what);
}

// Makes this process root of a user namespace of its own, where nothing stops that: the way in to
// mounts, packet sockets and cgroups for code that has no capabilities. Failing is no verdict.
inline bool become_namespace_root(int more_flags) {
  return unshare(CLONE_NEWUSER | more_flags) == 0;
}

struct Attack {
  const char* name;
  void (*run)();
};

inline int g_argc = 0;
inline char** g_argv = nullptr;

// The argument after the attack's name, as text or number.
inline const char* argument(int index) {
  if (index + 2 >= g_argc) {
    errno = 0;
    broken("argument %d is missing", index);
  }
  return g_argv[index + 2];
}
inline unsigned long long number(int index) { return strtoull(argument(index), nullptr, 10); }

inline int choose(int argc, char** argv, std::span<const Attack> attacks) {
  g_argc = argc;
  g_argv = argv;
  // A wall that hangs its prey is as bad as one that lets it out: never outlive the runner's
  // patience, on a slow machine neither.
  alarm(300);
  for (const Attack& attack : attacks) {
    if (argc > 1 && strcmp(argv[1], attack.name) == 0) {
      attack.run();
      errno = 0;
      broken("%s came back without a verdict", attack.name);
    }
  }
  errno = 0;
  broken("no attack called %s", argc > 1 ? argv[1] : "(none)");
}

// Runs `body` in a child and waits; gives its wait status.
template <typename Body>
int in_child(Body body) {
  pid_t pid = fork();
  if (pid < 0) {
    broken("fork");
  }
  if (pid == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) {
      broken("waitpid");
    }
  }
  return status;
}

// Whole small file, or -1 with errno.
inline ssize_t slurp(const char* path, char* buffer, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return -1;
  }
  size_t used = 0;
  while (used + 1 < size) {
    ssize_t got = read(fd, buffer + used, size - 1 - used);
    if (got < 0) {
      int error = errno;
      close(fd);
      errno = error;
      return -1;
    }
    if (got == 0) {
      break;
    }
    used += static_cast<size_t>(got);
  }
  buffer[used] = 0;
  close(fd);
  return static_cast<ssize_t>(used);
}

}  // namespace attack
