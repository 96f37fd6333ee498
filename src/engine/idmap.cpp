#include "engine/idmap.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>

namespace atl::engine {
namespace {

Result<void> write_proc(pid_t pid, const char* file, const char* text) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), text, std::strlen(text)) < 0) return fail_errno(file);
  return {};
}

}  // namespace

Result<void> write_own_maps(IdPair uid, IdPair gid) {
  char text[32];
  ATOLL_CHECK(write_proc(::getpid(), "setgroups", "deny"));
  std::snprintf(text, sizeof text, "%u %u 1\n", uid.inside, uid.outside);
  ATOLL_CHECK(write_proc(::getpid(), "uid_map", text));
  std::snprintf(text, sizeof text, "%u %u 1\n", gid.inside, gid.outside);
  return write_proc(::getpid(), "gid_map", text);
}

Result<void> write_id_maps(pid_t pid, std::span<const IdPair> pairs, bool deny_setgroups) {
  char text[128];
  int size = 0;
  for (IdPair pair : pairs) {
    size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), "%u %u 1\n", pair.inside,
                          pair.outside);
  }
  if (deny_setgroups) ATOLL_CHECK(write_proc(pid, "setgroups", "deny"));
  ATOLL_CHECK(write_proc(pid, "uid_map", text));
  return write_proc(pid, "gid_map", text);
}

Result<UniqueFd> make_idmap(std::span<const IdPair> pairs) {
  // The namespace needs a process only until a descriptor holds it.
  auto pid = static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (pid < 0) return fail_errno("clone for id map");
  if (pid == 0) {
    for (;;) ::pause();
  }
  Result<void> written = write_id_maps(pid, pairs, false);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  UniqueFd userns(::open(path, O_RDONLY | O_CLOEXEC));
  int open_error = errno;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  if (!written) return fail(std::move(written).error());
  if (!userns) return fail_errno("open id map", open_error);
  return userns;
}

}  // namespace atl::engine
