// Line 17: kernel settings by /proc/sys, /sys and a cgroup file system with its release_agent.
// Files are opened for writing, never written.
#include <dirent.h>
#include <sys/mount.h>
#include <sys/statfs.h>

#include "attack.hpp"

namespace {

constexpr long kReadOnlyFlag = 1;  // ST_RDONLY in f_flags

// Anything in the tree below `folder` that opens for writing.
bool writable_below(const char* folder, int depth, char* found, size_t size) {
  DIR* dir = opendir(folder);
  if (dir == nullptr) {
    return false;
  }
  bool hit = false;
  while (dirent* entry = readdir(dir)) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_type == DT_DIR && depth < 8) {
      hit = writable_below(path, depth + 1, found, size);
    } else if (entry->d_type == DT_REG) {
      int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      if (fd >= 0) {
        close(fd);
        snprintf(found, size, "%s", path);
        hit = true;
      }
    }
    if (hit) {
      break;
    }
  }
  closedir(dir);
  return hit;
}

void settings() {
  char found[1024] = {};
  if (writable_below("/proc/sys", 0, found, sizeof found)) {
    attack::through("%s opens for writing", found);
  }
  attack::holds("nothing in /proc/sys opens for writing");
}
// By name, for the errno.
template <char kWhich>
void setting() {
  constexpr const char* kPath = kWhich == 'c'   ? "/proc/sys/kernel/core_pattern"
                                : kWhich == 'n' ? "/proc/sys/net/ipv4/ip_forward"
                                                : "/proc/sys/user/max_user_namespaces";
  attack::verdict(open(kPath, O_WRONLY | O_CLOEXEC), kPath);
}

// Read-only by mount, not only by mode bits: the second door behind the first.
void read_only_by_mount() {
  for (const char* path : {"/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq"}) {
    struct statfs where{};
    struct stat info{};
    if (stat(path, &info) != 0) {
      continue;
    }
    if (statfs(path, &where) != 0 || (where.f_flags & kReadOnlyFlag) == 0) {
      // An empty cover is as good.
      DIR* dir = opendir(path);
      bool empty = true;
      while (dir != nullptr) {
        dirent* entry = readdir(dir);
        if (entry == nullptr) {
          break;
        }
        empty = empty && entry->d_name[0] == '.';
      }
      if (!empty) {
        attack::through("%s is mounted writable", path);
      }
    }
  }
  attack::holds("/proc/sys, bus, fs and irq are mounted read-only or covered");
}

void sysfs() {
  DIR* dir = opendir("/sys");
  if (dir == nullptr) {
    attack::stopped(errno, "opendir /sys");
  }
  while (dirent* entry = readdir(dir)) {
    if (entry->d_name[0] != '.') {
      attack::through("/sys shows %s", entry->d_name);
    }
  }
  attack::holds("/sys is empty");
}

void cgroup_mounted() {
  char table[65536];
  if (attack::slurp("/proc/self/mountinfo", table, sizeof table) < 0) {
    attack::broken("mountinfo");
  }
  for (const char* type :
       {" - cgroup ", " - cgroup2 ", " - sysfs ", " - debugfs ", " - tracefs ", " - securityfs ",
        " - bpf ", " - configfs ", " - fusectl ", " - binfmt_misc "}) {
    if (strstr(table, type) != nullptr) {
      attack::through("mounted:%s", type);
    }
  }
  attack::holds("no kernel file system but proc, devpts, mqueue");
}

// The release_agent escape starts with a mount of our own cgroup.
template <bool kVersionTwo>
void cgroup_mount() {
  attack::become_namespace_root(CLONE_NEWNS | CLONE_NEWCGROUP);
  mkdir("/tmp/cg", 0700);
  attack::verdict(mount("none", "/tmp/cg", kVersionTwo ? "cgroup2" : "cgroup", 0,
                        kVersionTwo ? nullptr : "memory"),
                  "mount of a cgroup file system");
}

constexpr attack::Attack kAttacks[] = {{"settings", settings},
                                       {"core_pattern", setting<'c'>},
                                       {"ip_forward", setting<'n'>},
                                       {"max_user_namespaces", setting<'u'>},
                                       {"read_only_by_mount", read_only_by_mount},
                                       {"sysfs", sysfs},
                                       {"cgroup_mounted", cgroup_mounted},
                                       {"cgroup_mount", cgroup_mount<false>},
                                       {"cgroup2_mount", cgroup_mount<true>}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
