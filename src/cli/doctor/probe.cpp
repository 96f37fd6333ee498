#include "cli/doctor/probe.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.hpp"
#include "base/write_text.hpp"

namespace atl::cli {
namespace {

std::string identity_map(unsigned id) { return "0 " + std::to_string(id) + " 1"; }

struct Maps {
  std::string users;
  std::string groups;
};

// One mapped id is what every user may have.
int map_self(const Maps& maps) {
  write_text("/proc/self/setgroups", "deny");
  if (!write_text("/proc/self/uid_map", maps.users)) return errno;
  if (!write_text("/proc/self/gid_map", maps.groups)) return errno;
  return 0;
}

// The plain clone call without a stack is a fork.
pid_t fork_with(int flags) {
  return static_cast<pid_t>(::syscall(SYS_clone, static_cast<unsigned long>(flags | SIGCHLD),
                                      nullptr, nullptr, nullptr, nullptr));
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

}  // namespace

int errno_in_child(int clone_flags, int (*attempt)()) {
  pid_t child = fork_with(clone_flags);
  if (child < 0) return errno;
  if (child == 0) ::_exit(attempt());
  return wait_for(child);
}

int errno_in_user_namespace(int clone_flags, int (*attempt)()) {
  Maps maps{.users = identity_map(::geteuid()), .groups = identity_map(::getegid())};
  pid_t child = fork_with(CLONE_NEWUSER | clone_flags);
  if (child < 0) return errno;
  if (child == 0) {
    int error = map_self(maps);
    ::_exit(error != 0 ? error : attempt());
  }
  return wait_for(child);
}

std::optional<std::string> small_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  ssize_t got = fd ? ::read(fd.get(), buffer, sizeof buffer) : -1;
  if (got < 0) return std::nullopt;
  std::string text(buffer, static_cast<std::size_t>(got));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

bool writable(const std::string& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace atl::cli
