#include "engine/namespaces.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace atl::engine {

// By descriptors, so that no path is walked twice.
bool keep_namespace(const UniqueFd& ns, const UniqueFd& dir, const char* name) {
  UniqueFd spot = open_at(dir.get(), name, O_RDONLY | O_CREAT);
  UniqueFd tree = clone_mount(ns.get(), "");
  constexpr unsigned kByDescriptors = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  return spot && tree && confine::move_mount(tree.get(), "", spot.get(), "", kByDescriptors) == 0;
}

UniqueFd make_namespace(std::uint64_t flags, const char* name, std::string_view uids,
                        std::string_view gids) {
  // The namespace needs a process only until a descriptor holds it.
  UniqueFd pidfd, found;
  pid_t parent = ::getpid();
  pid_t pid = clone_child(flags, pidfd);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    while (::getppid() == parent) ::pause();  // one that had died before is not noticed
    ::_exit(1);
  }
  if (pid > 0 && (uids.empty() || write_id_maps(pid, uids, gids, false))) {
    found.reset(::open(Text("/proc/%d/ns/%s", pid, name).c_str(), O_RDONLY | O_CLOEXEC));
  }
  int error = errno;
  if (pidfd) end_child(pidfd);
  errno = error;
  return found;
}

}  // namespace atl::engine
