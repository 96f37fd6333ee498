#include "floor.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

namespace {

bool put(const char* file, std::string_view text) {
  int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  bool whole = fd >= 0 && ::write(fd, text.data(), text.size()) == ssize_t(text.size());
  ::close(fd);
  return whole;
}

bool fresh(const char* type, const char* at, unsigned long flags, const char* options) {
  return ::mkdir(at, 0755) == 0 && ::mount(type, at, type, flags, options) == 0;
}

// Thirteen mounts, as a sandbox has them.
bool build_root() {
  constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID, "size=1m") != 0 || ::chdir("/tmp") != 0) {
    return false;
  }
  for (const char* folder : {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev"}) {
    if (::mkdir(folder + 1, 0755) != 0 ||
        ::mount(folder, folder + 1, nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return false;
    }
  }
  return fresh("proc", "proc", kPlain | MS_NOEXEC, nullptr) &&
         fresh("tmpfs", "tmp", kPlain, "size=64m") && fresh("tmpfs", "run", kPlain, "size=1m") &&
         fresh("tmpfs", "workspace", kPlain, "size=64m") &&
         fresh("devpts", "pts", MS_NOSUID | MS_NOEXEC, "newinstance") &&
         ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0 &&
         ::chdir("/") == 0;
}

bool map_root() {
  return put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", "0 0 1") &&
         put("/proc/self/gid_map", "0 0 1");
}

}  // namespace

pid_t atoll_bench_floor() {
  constexpr unsigned long kAlone =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  auto pid =
      static_cast<pid_t>(::syscall(SYS_clone, kAlone | SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (pid == 0 && (!map_root() || !build_root())) ::_exit(1);
  return pid;
}
