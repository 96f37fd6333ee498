// Line 2: kernel files that tell about the host, hidden by masks that are what they seem
// (CVE-2025-31133: /dev/null replaced, so that the mask became a bind of the attacker's choice).
#include <dirent.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "attack.hpp"

namespace {

constexpr const char* kMaskedFiles[] = {
    "/proc/kcore",       "/proc/keys",        "/proc/latency_stats", "/proc/timer_list",
    "/proc/timer_stats", "/proc/sched_debug", "/proc/sysrq-trigger",
};
constexpr const char* kMaskedFolders[] = {"/proc/acpi", "/proc/asound", "/proc/scsi",
                                          "/sys/firmware"};

// A masked file gives no byte and is the null device or an empty file.
void read_masked() {
  for (const char* path : kMaskedFiles) {
    struct stat info{};
    if (stat(path, &info) != 0) {
      continue;
    }
    bool null_device = S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
    bool empty_elsewhere = S_ISREG(info.st_mode) && info.st_size == 0;
    struct stat proc{};
    stat("/proc", &proc);
    if (!null_device && (!empty_elsewhere || info.st_dev == proc.st_dev)) {
      // Root-only files are not readable by us even without a mask; the mask is still missing.
      attack::through("%s is not masked (mode %o, device %llx)", path, info.st_mode,
                      static_cast<unsigned long long>(info.st_rdev));
    }
    char byte = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, &byte, 1) > 0) {
      attack::through("%s can be read", path);
    }
  }
  for (const char* path : kMaskedFolders) {
    DIR* dir = opendir(path);
    if (dir == nullptr) {
      continue;
    }
    while (dirent* entry = readdir(dir)) {
      if (entry->d_name[0] != '.') {
        attack::through("%s shows %s", path, entry->d_name);
      }
    }
    closedir(dir);
  }
  attack::holds("masked paths give nothing");
}

// The device that masks are made of: must be the real one and must not be replaceable.
void replace_null() {
  struct stat info{};
  if (stat("/dev/null", &info) != 0 || !S_ISCHR(info.st_mode) || info.st_rdev != makedev(1, 3)) {
    attack::through("/dev/null is not the null device");
  }
  if (unlink("/dev/null") == 0) {
    attack::through("/dev/null removed");
  }
  int error = errno;
  if (rename("/dev/null", "/dev/other") == 0) {
    attack::through("/dev/null renamed");
  }
  if (chmod("/dev/null", 0600) == 0) {
    attack::through("/dev/null closed for others");
  }
  attack::stopped(error, "unlink /dev/null");
}

// Replacing the masked file's parent, or putting something over it, from inside.
void replace_masked() {
  if (rename("/proc/keys", "/proc/keys2") == 0 || unlink("/proc/keys") == 0) {
    attack::through("the mask is gone");
  }
  attack::stopped(errno, "unlink /proc/keys");
}

constexpr attack::Attack kAttacks[] = {
    {"read", read_masked}, {"replace_null", replace_null}, {"replace_masked", replace_masked}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
