// Line 16: devices. Only harmless ones may exist, none can be made, none opened where one was made.
#include <dirent.h>
#include <sys/sysmacros.h>

#include "attack.hpp"

namespace {

bool harmless(const struct stat& info) {
  if (!S_ISCHR(info.st_mode)) {
    return false;
  }
  unsigned major_number = major(info.st_rdev);
  unsigned minor_number = minor(info.st_rdev);
  if (major_number == 1) {  // null zero full random urandom
    return minor_number == 3 || minor_number == 5 || minor_number == 7 || minor_number == 8 ||
           minor_number == 9;
  }
  if (major_number == 5) {  // tty, ptmx
    return minor_number == 0 || minor_number == 2;
  }
  return major_number >= 136 && major_number <= 143;  // pts
}

int g_seen = 0;
void walk(const char* folder, int depth) {
  DIR* dir = opendir(folder);
  if (dir == nullptr) {
    return;
  }
  struct stat here{};
  fstat(dirfd(dir), &here);
  while (dirent* entry = readdir(dir)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
    struct stat info{};
    if (lstat(path, &info) != 0) {
      continue;
    }
    if (S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode)) {
      ++g_seen;
      // Character device 0:0 is an overlay's whiteout and opens for nobody.
      if (!harmless(info) && !(S_ISCHR(info.st_mode) && info.st_rdev == 0)) {
        attack::through("%s is device %u:%u", path, major(info.st_rdev), minor(info.st_rdev));
      }
    }
    if (S_ISDIR(info.st_mode) && depth < 24 && strcmp(path, "/proc") != 0) {
      walk(path, depth + 1);
    }
  }
  closedir(dir);
}
// The whole tree, not only /dev.
void search() {
  walk("/", 0);
  attack::holds("%d device nodes, all harmless", g_seen);
}

template <int kMajor, int kMinor, mode_t kKind>
void make() {
  attack::become_namespace_root(CLONE_NEWNS);
  constexpr const char* kPath = "/tmp/node";
  attack::verdict(mknod(kPath, kKind | 0666, makedev(kMajor, kMinor)), "mknod");
}

// Known doors by name: a node that is there and opens is through.
void open_known() {
  for (const char* path :
       {"/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/vsock", "/dev/vda",
        "/dev/loop-control", "/dev/loop0", "/dev/userfaultfd", "/dev/tty0", "/dev/net/tun",
        "/dev/cpu_dma_latency", "/dev/btrfs-control", "/dev/hwrng", "/dev/vga_arbiter"}) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
      attack::through("%s opens", path);
    }
    if (errno != ENOENT) {
      attack::through("%s is there: %s", path, strerrorname_np(errno));
    }
  }
  attack::holds("none of the known doors is there");
}

// The ones that programs need must be there and be real.
void needed() {
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
    struct stat info{};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || !harmless(info)) {
      attack::stopped(errno, path);
    }
  }
  attack::through("null, zero, full, random and urandom work");
}

constexpr attack::Attack kAttacks[] = {{"search", search},
                                       {"mknod_mem", make<1, 1, S_IFCHR>},
                                       {"mknod_null", make<1, 3, S_IFCHR>},
                                       {"mknod_disk", make<254, 0, S_IFBLK>},
                                       {"open_known", open_known},
                                       {"needed", needed}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
