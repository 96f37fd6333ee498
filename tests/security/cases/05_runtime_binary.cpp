// Line 5: overwriting the program that runs us, so that the next sandbox starts ours
// (CVE-2019-5736). Nothing is ever written: an open for writing is the escape.
#include <limits.h>

#include "attack.hpp"

namespace {

// The classic way holds the binary by O_PATH and reopens it once it is no longer running.
void hold_guest() {
  int fd = open("/proc/1/exe", O_PATH | O_CLOEXEC);
  if (fd < 0) {
    attack::stopped(errno, "open /proc/1/exe");
  }
  struct stat info{};
  fstat(fd, &info);
  attack::through("holding the guest's binary, inode %llu",
                  static_cast<unsigned long long>(info.st_ino));
}

void write_guest() {
  int fd = open("/proc/1/exe", O_WRONLY | O_CLOEXEC);
  if (fd < 0 && errno != ETXTBSY) {
    attack::stopped(errno, "open /proc/1/exe for writing");
  }
  attack::through("the guest's binary opens for writing (or would, once it ends)");
}

// The folder we were started from is the host's, and its files are ours by the id map: only the
// mount itself says no. A sibling is tried; our own file is busy whatever the mount says.
void write_sibling() {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 || strrchr(path, '/') == nullptr) {
    attack::broken("readlink");
  }
  snprintf(strrchr(path, '/'), 16, "/posture");
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  attack::verdict(fd, path);
}

void write_host_program() {
  for (const char* path :
       {"/bin/sh", "/usr/bin/env", "/usr/bin/python3", "/usr/lib/x86_64-linux-gnu/libc.so.6"}) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 || errno == ETXTBSY) {
      attack::through("%s opens for writing", path);
    }
  }
  attack::stopped(errno, "open programs of the host for writing");
}

constexpr attack::Attack kAttacks[] = {{"hold_guest", hold_guest},
                                       {"write_guest", write_guest},
                                       {"write_sibling", write_sibling},
                                       {"write_host_program", write_host_program}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
