// Line 21: bytes and inodes beyond the disk limit, in every writable folder together. Arguments:
// the limit, and the goal to be through at.
#include <dirent.h>

#include "attack.hpp"

namespace {

constexpr const char* kFolders[] = {"/workspace", "/tmp",  "/dev/shm", "/var/tmp", "/run",
                                    "/home",      "/root", "/var",     "/mnt",     "",
                                    "/etc",       "/opt",  "/srv"};
constexpr size_t kBlock = 1 << 20;

// In turn in every folder that lets us, all kept: the sum is what counts.
void bytes() {
  unsigned long long goal = attack::number(1);
  static char block[kBlock];
  memset(block, 7, sizeof block);
  unsigned long long total = 0;
  int error = 0;
  int places = 0;
  for (const char* folder : kFolders) {
    char path[64];
    snprintf(path, sizeof path, "%s/fill", folder);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
      continue;
    }
    ++places;
    while (total < goal) {
      ssize_t put = write(fd, block, sizeof block);
      if (put <= 0) {
        error = errno;
        break;
      }
      total += static_cast<unsigned long long>(put);
    }
  }
  dprintf(1, "%llu bytes in %d places\n", total, places);
  if (total >= goal) {
    attack::through("%llu bytes written, the limit is %llu", total, attack::number(0));
  }
  if (total > attack::number(0)) {
    attack::through("%llu bytes written, more than the limit %llu", total, attack::number(0));
  }
  attack::stopped(error, "write");
}

void inodes() {
  unsigned long long limit = attack::number(0);
  unsigned long long goal = attack::number(1);
  unsigned long long total = 0;
  int error = 0;
  for (const char* folder : kFolders) {
    while (total < goal) {
      char path[96];
      snprintf(path, sizeof path, "%s/i%llu", folder, total);
      int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
      if (fd < 0) {
        error = errno == EROFS || errno == EACCES || errno == ENOENT ? error : errno;
        break;
      }
      close(fd);
      ++total;
    }
  }
  dprintf(1, "%llu files\n", total);
  if (total > limit) {
    attack::through("%llu files, the limit is %llu", total, limit);
  }
  attack::stopped(error, "open");
}

// Names, links and extended attributes take kernel memory without taking data blocks.
void symlinks() {
  unsigned long long limit = attack::number(0);
  unsigned long long goal = attack::number(1);
  unsigned long long total = 0;
  char target[4000];
  memset(target, 'a', sizeof target);
  target[sizeof target - 1] = 0;
  int error = 0;
  while (total < goal) {
    char path[96];
    snprintf(path, sizeof path, "/tmp/s%llu", total);
    if (symlink(target, path) != 0) {
      error = errno;
      break;
    }
    ++total;
  }
  if (total > limit) {
    attack::through("%llu long symlinks, the limit is %llu inodes", total, limit);
  }
  attack::stopped(error, "symlink");
}

void hard_links() {
  unsigned long long limit = attack::number(0);
  unsigned long long goal = attack::number(1);
  int fd = open("/tmp/one", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) {
    attack::broken("open");
  }
  unsigned long long total = 0;
  int error = 0;
  while (total < goal) {
    char path[300];
    snprintf(path, sizeof path, "/tmp/%0200llu", total);
    if (link("/tmp/one", path) != 0) {
      error = errno;
      break;
    }
    ++total;
  }
  if (total > limit) {
    attack::through("%llu names, the limit is %llu inodes", total, limit);
  }
  attack::stopped(error, "link");
}

void allocate() {
  int fd = open("/tmp/big", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    attack::broken("open");
  }
  attack::verdict(fallocate(fd, 0, 0, static_cast<off_t>(attack::number(1))), "fallocate");
}

// A sparse file may look large, but its blocks count when they are touched.
void sparse() {
  unsigned long long goal = attack::number(1);
  int fd = open("/tmp/sparse", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    attack::broken("open");
  }
  if (ftruncate(fd, static_cast<off_t>(1) << 40) != 0) {
    attack::stopped(errno, "ftruncate to 1 TiB");
  }
  unsigned long long total = 0;
  for (; total < goal; total += 4096) {
    if (pwrite(fd, "x", 1, static_cast<off_t>(total) * 16) != 1) {
      attack::stopped(errno, "touching a block");
    }
  }
  attack::through("%llu bytes of blocks in a sparse file", total);
}

// Space of removed files must be found again, or the second user of /tmp is starved.
void hidden() {
  unsigned long long goal = attack::number(1);
  static char block[kBlock];
  unsigned long long total = 0;
  int fd = open("/tmp/gone", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  unlink("/tmp/gone");
  while (total < goal) {
    ssize_t put = write(fd, block, sizeof block);
    if (put <= 0) {
      attack::stopped(errno, "write to a removed file");
    }
    total += static_cast<unsigned long long>(put);
  }
  attack::through("%llu bytes in a removed file", total);
}

// Writing where nothing should be writable: the root itself.
void root() {
  for (const char* path : {"/x", "/etc/x", "/usr/x", "/bin/x", "/var/x", "/opt/x", "/lib/x",
                           "/proc/x", "/dev/x", "/cases/x"}) {
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
      unlink(path);
      attack::through("%s can be made", path);
    }
  }
  attack::stopped(errno, "create in the root");
}

constexpr attack::Attack kAttacks[] = {
    {"bytes", bytes},        {"inodes", inodes}, {"symlinks", symlinks}, {"hard_links", hard_links},
    {"fallocate", allocate}, {"sparse", sparse}, {"hidden", hidden},     {"root", root}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
