// Line 1: descriptors that leak in from the host's side, and a working directory that is a way out
// (Leaky Vessels, CVE-2024-21626).
#include <dirent.h>
#include <limits.h>

#include "attack.hpp"

namespace {

// Anything beyond 0, 1, 2 that this program did not open itself.
void list() {
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) {
    attack::broken("opendir /proc/self/fd");
  }
  while (dirent* entry = readdir(dir)) {
    int fd = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd <= 2 || fd == dirfd(dir)) {
      continue;
    }
    char target[PATH_MAX] = {};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    (void)!readlink(path, target, sizeof target - 1);
    attack::through("descriptor %d is %s", fd, target);
  }
  attack::holds("only 0, 1 and 2 are open");
}

// A number can be open without /proc showing it to us; ask the kernel.
void probe() {
  for (int fd = 3; fd < 4096; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) {
      attack::through("descriptor %d is open", fd);
    }
  }
  attack::holds("3 to 4095 are closed");
}

// A standard stream that is a file or folder of the host would be a handle to its file system.
void standard() {
  for (int fd = 0; fd <= 2; ++fd) {
    struct stat info{};
    if (fstat(fd, &info) != 0) {
      continue;
    }
    bool harmless = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISCHR(info.st_mode);
    if (!harmless) {
      attack::through("descriptor %d is a file of mode %o", fd, info.st_mode);
    }
    if (fcntl(fd, F_GETFL) >= 0 && (fcntl(fd, F_GETFL) & O_PATH) != 0) {
      attack::through("descriptor %d is O_PATH", fd);
    }
  }
  attack::holds("standard streams are pipes, sockets or terminals");
}

// Climbing from the working directory must end at this process's own root.
void climb() {
  struct stat root{};
  struct stat here{};
  if (stat("/", &root) != 0) {
    attack::broken("stat /");
  }
  char cwd[PATH_MAX] = {};
  if (syscall(SYS_getcwd, cwd, sizeof cwd) < 0) {
    attack::broken("getcwd");
  }
  if (cwd[0] != '/') {
    attack::through("the working directory is outside of the root: %s", cwd);
  }
  int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int level = 0; level < 64; ++level) {
    int up = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (up < 0) {
      attack::stopped(errno, "openat ..");
    }
    close(fd);
    fd = up;
  }
  fstat(fd, &here);
  if (here.st_dev != root.st_dev || here.st_ino != root.st_ino) {
    attack::through("64 levels above the working directory is another root");
  }
  attack::holds("the working directory is below /");
}

// The guest's own descriptors (its listening socket, cgroup files) through /proc/1/fd.
void guest_descriptors() {
  DIR* dir = opendir("/proc/1/fd");
  if (dir == nullptr) {
    attack::stopped(errno, "opendir /proc/1/fd");
  }
  int seen = 0;
  while (dirent* entry = readdir(dir)) {
    seen += entry->d_name[0] != '.';
  }
  attack::through("/proc/1/fd lists %d descriptors", seen);
}

constexpr attack::Attack kAttacks[] = {
    {"list", list},
    {"probe", probe},
    {"standard", standard},
    {"climb", climb},
    {"guest_descriptors", guest_descriptors},
};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
