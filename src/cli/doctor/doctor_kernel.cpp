#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/unique_fd.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/doctor/probe.hpp"

namespace atl::cli {
namespace {

constexpr const char* kGroup = "Kernel";
constexpr int kWantedLandlock = 6;  // scopes for signals and abstract sockets

Finding kernel_version() {
  utsname name{};
  ::uname(&name);
  int major = 0;
  int minor = 0;
  std::sscanf(name.release, "%d.%d", &major, &minor);
  Finding finding{
      .group = kGroup, .name = "version", .detail = std::string("Linux ") + name.release};
  if (major < 6 || (major == 6 && minor < 1)) {
    finding.mark = Mark::kFail;
    finding.advice = "Atoll needs Linux 6.1 or newer; install a newer kernel (Debian 12 has one).";
  }
  return finding;
}

Finding seccomp() {
  Finding finding{.group = kGroup, .name = "seccomp", .detail = "system call filters work"};
  std::uint32_t action = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) {
    finding.mark = Mark::kFail;
    finding.detail = std::string("no filters: ") + std::strerror(errno);
    finding.advice =
        "Use a kernel with CONFIG_SECCOMP_FILTER=y, or a container that allows seccomp.";
  }
  return finding;
}

Finding landlock() {
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  Finding finding{.group = kGroup, .name = "landlock", .detail = "ABI " + std::to_string(abi)};
  if (abi >= kWantedLandlock) return finding;
  finding.mark = Mark::kWarn;
  if (abi < 0) {
    finding.detail = "not available; landlock_scopes will be missing";
    finding.advice = "Boot with lsm=landlock,… or use a kernel with CONFIG_SECURITY_LANDLOCK=y.";
  } else {
    finding.detail += ", below 6: landlock_scopes will be missing";
    finding.advice = "Linux 6.12 or newer can keep signals and abstract sockets inside a sandbox.";
  }
  return finding;
}

int wait_to_be_killed() {
  ::pause();
  return 0;
}

// An idmapped copy of the root, never attached anywhere. Needs the user namespace of a child.
int try_idmap() {
  pid_t child = static_cast<pid_t>(
      ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child < 0) return errno;
  if (child == 0) ::_exit(wait_to_be_killed());
  std::string base = "/proc/" + std::to_string(child);
  int error = 0;
  {
    UniqueFd map(::open((base + "/uid_map").c_str(), O_WRONLY | O_CLOEXEC));
    UniqueFd gids(::open((base + "/gid_map").c_str(), O_WRONLY | O_CLOEXEC));
    bool mapped = map && gids && ::write(map.get(), "0 100000 1", 10) == 10 &&
                  ::write(gids.get(), "0 100000 1", 10) == 10;
    UniqueFd userns(::open((base + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    UniqueFd tree(static_cast<int>(
        ::syscall(SYS_open_tree, AT_FDCWD, "/usr", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)));
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_IDMAP;
    attributes.userns_fd = static_cast<std::uint64_t>(userns.get());
    bool done = mapped && userns && tree &&
                ::syscall(SYS_mount_setattr, tree.get(), "", AT_EMPTY_PATH, &attributes,
                          sizeof attributes) == 0;
    if (!done) error = errno;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return error;
}

Finding idmapped_mounts() {
  Finding finding{
      .group = kGroup, .name = "idmapped mounts", .detail = "work on /usr's file system"};
  if (::geteuid() != 0) {
    finding.mark = Mark::kInfo;
    finding.detail = "only root can make them; without root a sandbox has one uid and needs none";
    return finding;
  }
  if (int error = errno_in_child(0, try_idmap); error != 0) {
    finding.mark = Mark::kWarn;
    finding.detail = std::string("refused: ") + std::strerror(error);
    finding.advice =
        "Mounts need a file system that can be idmapped (ext4, xfs, btrfs, erofs, overlay, tmpfs).";
  }
  return finding;
}

}  // namespace

void examine_kernel(Diagnosis& diagnosis) {
  diagnosis.findings.push_back(kernel_version());
  diagnosis.findings.push_back(seccomp());
  diagnosis.findings.push_back(landlock());
  diagnosis.findings.push_back(idmapped_mounts());
}

}  // namespace atl::cli
