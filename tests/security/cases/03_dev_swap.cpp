// Line 3: /dev/console, /dev/pts and /dev/ptmx swapped for something else (CVE-2025-52565), or
// other sandboxes' and the host's terminals reachable.
#include <dirent.h>
#include <sys/statfs.h>

#include "attack.hpp"

namespace {

constexpr long kDevptsMagic = 0x1cd1;

void swap() {
  constexpr const char* kNames[] = {"/dev/console", "/dev/ptmx", "/dev/tty", "/dev/pts", "/dev/fd"};
  for (const char* name : kNames) {
    char other[64];
    snprintf(other, sizeof other, "%s.old", name);
    if (rename(name, other) == 0 || unlink(name) == 0 || rmdir(name) == 0) {
      attack::through("%s was moved away", name);
    }
  }
  if (symlink("/proc/self/attr", "/dev/console2") == 0) {
    attack::through("/dev is writable");
  }
  attack::stopped(errno, "symlink in /dev");
}

// The folders that walls stand on, moved away with what is in them. Where the root is writable the
// user owns the names.
void folders() {
  mkdir("/workspace/other", 0700);
  for (const char* name : {"/dev", "/proc", "/opt/atoll", "/opt", "/mnt", "/usr", "/etc",
                           "/etc/alternatives", "/tmp", "/workspace"}) {
    char other[64];
    snprintf(other, sizeof other, "%s.old", name);
    if (rename(name, other) == 0 || rmdir(name) == 0 || unlink(name) == 0) {
      attack::through("%s was moved away", name);
    }
    if (rename("/workspace/other", name) == 0 || symlink("/tmp", name) == 0) {
      attack::through("something else is at %s", name);
    }
  }
  attack::holds("every folder is where it was");
}

// How many terminals can be seen. The runner starts this one without a terminal while it holds a
// terminal of its own and another sandbox has one.
void foreign_terminals() {
  struct statfs where{};
  DIR* dir = opendir("/dev/pts");
  if (dir == nullptr) {
    attack::stopped(errno, "opendir /dev/pts");
  }
  if (statfs("/dev/pts", &where) != 0 || where.f_type != kDevptsMagic) {
    attack::through("/dev/pts is not a devpts: %lx", static_cast<long>(where.f_type));
  }
  while (dirent* entry = readdir(dir)) {
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') {
      attack::through("/dev/pts/%s is somebody else's", entry->d_name);
    }
  }
  attack::holds("no terminal but our own");
}

constexpr attack::Attack kAttacks[] = {
    {"swap", swap}, {"folders", folders}, {"foreign_terminals", foreign_terminals}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
