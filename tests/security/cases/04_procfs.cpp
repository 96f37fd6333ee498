// Line 4: procfs that is not procfs, or that can be covered, so that privileged writes go astray
// (CVE-2025-52881, CVE-2019-19921).
#include <sys/mount.h>
#include <sys/statfs.h>

#include "attack.hpp"

namespace {

constexpr long kProcMagic = 0x9fa0;

// Every place a runtime writes to or reads from must be the kernel's own.
void genuine() {
  constexpr const char* kPaths[] = {
      "/proc",           "/proc/self/attr",      "/proc/self/uid_map",
      "/proc/1",         "/proc/sys/kernel",     "/proc/self/oom_score_adj",
      "/proc/self/task", "/proc/self/setgroups", "/proc/thread-self"};
  for (const char* path : kPaths) {
    struct statfs where{};
    if (statfs(path, &where) != 0) {
      continue;
    }
    if (where.f_type != kProcMagic) {
      attack::through("%s is on a file system of type %lx", path, static_cast<long>(where.f_type));
    }
  }
  attack::holds("/proc is procfs throughout");
}

// Cover /proc/self/attr with a folder of our own.
void cover() {
  attack::become_namespace_root(CLONE_NEWNS);
  if (mount("none", "/proc/self/attr", "tmpfs", 0, nullptr) == 0) {
    attack::through("/proc/self/attr is covered");
  }
  attack::stopped(errno, "mount over /proc/self/attr");
}

// More rights over our own namespace: a second write to the maps.
void remap() {
  int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    attack::stopped(errno, "open uid_map");
  }
  constexpr char kMap[] = "0 0 4294967295\n";
  attack::verdict(write(fd, kMap, sizeof kMap - 1), "write uid_map");
}

constexpr attack::Attack kAttacks[] = {{"genuine", genuine}, {"cover", cover}, {"remap", remap}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
