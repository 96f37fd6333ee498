// Line 7: set-user-id programs. `flag` looks for no_new_privs, `setuid` runs a copy of this program
// that belongs to another user and has the bit (the runner puts it beside), `mounts` looks for one
// mount without nosuid. `plant_…` makes such a program in a writable folder of the host: nosuid
// does not hold there, and what is made inside belongs to whoever started atoll, root perhaps.
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>

#include "attack.hpp"

namespace {

void flag() {
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) {
    attack::through("no_new_privs is not set");
  }
  attack::holds("no_new_privs is set");
}

void report() {
  if (geteuid() != getuid() || getegid() != getgid()) {
    attack::through("euid %u, uid %u, egid %u, gid %u", geteuid(), getuid(), getegid(), getgid());
  }
  attack::holds("euid %u is still ours", geteuid());
}

void setuid_program() {
  const char* program = attack::argument(0);
  execl(program, program, "report", nullptr);
  attack::stopped(errno, "exec of the set-user-id program");
}

void mounts() {
  char table[65536];
  if (attack::slurp("/proc/self/mounts", table, sizeof table) < 0) {
    attack::broken("/proc/self/mounts");
  }
  char* rest = nullptr;
  for (char* line = strtok_r(table, "\n", &rest); line != nullptr;
       line = strtok_r(nullptr, "\n", &rest)) {
    char* fields = nullptr;
    strtok_r(line, " ", &fields);
    const char* target = strtok_r(nullptr, " ", &fields);
    strtok_r(nullptr, " ", &fields);
    const char* options = strtok_r(nullptr, " ", &fields);
    if (options == nullptr || strstr(options, "nosuid") == nullptr) {
      attack::through("%s is mounted without nosuid: %s", target, options);
    }
  }
  attack::holds("every mount is nosuid");
}

constexpr const char* kPlanted = "/data/planted";
constexpr mode_t kBits = 06755;

[[noreturn]] void look(const char* what) {
  int error = errno;
  struct stat info{};
  if (stat(kPlanted, &info) == 0 && (info.st_mode & 06000) != 0) {
    attack::through("%s made a file of mode %o", what, info.st_mode);
  }
  if (error == 0) {
    attack::holds("%s left the bits out", what);
  }
  attack::stopped(error, what);
}
int fresh() {
  unlink(kPlanted);
  umask(0);
  int fd = open(kPlanted, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (fd < 0) {
    attack::broken("%s", kPlanted);
  }
  errno = 0;
  return fd;
}
void plant_chmod() {
  fresh();
  chmod(kPlanted, kBits);
  look("chmod");
}
void plant_fchmod() {
  fchmod(fresh(), kBits);
  look("fchmod");
}
void plant_fchmodat() {
  fresh();
  syscall(SYS_fchmodat, AT_FDCWD, kPlanted, kBits);
  look("fchmodat");
}
void plant_fchmodat2() {
  fresh();
  syscall(452, AT_FDCWD, kPlanted, kBits, 0);
  look("fchmodat2");
}
void plant_open() {
  fresh();
  unlink(kPlanted);
  (void)!syscall(SYS_open, kPlanted, O_CREAT | O_WRONLY, kBits);
  look("open");
}
void plant_openat() {
  fresh();
  unlink(kPlanted);
  (void)!syscall(SYS_openat, AT_FDCWD, kPlanted, O_CREAT | O_WRONLY, kBits);
  look("openat");
}
// The mode is behind a pointer, where no filter sees it.
void plant_openat2() {
  fresh();
  unlink(kPlanted);
  open_how how{};
  how.flags = O_CREAT | O_WRONLY;
  how.mode = kBits;
  (void)!syscall(SYS_openat2, AT_FDCWD, kPlanted, &how, sizeof how);
  look("openat2");
}
void plant_creat() {
  fresh();
  unlink(kPlanted);
  (void)!syscall(SYS_creat, kPlanted, kBits);
  look("creat");
}
void plant_mknod() {
  fresh();
  unlink(kPlanted);
  (void)!mknod(kPlanted, S_IFREG | kBits, 0);
  look("mknod");
}
// An unnamed file gets its name later.
void plant_tmpfile() {
  fresh();
  unlink(kPlanted);
  int fd = open("/data", O_TMPFILE | O_RDWR, kBits);
  if (fd >= 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    linkat(AT_FDCWD, path, AT_FDCWD, kPlanted, AT_SYMLINK_FOLLOW);
  }
  look("O_TMPFILE");
}

constexpr attack::Attack kAttacks[] = {{"plant_chmod", plant_chmod},
                                       {"plant_fchmod", plant_fchmod},
                                       {"plant_fchmodat", plant_fchmodat},
                                       {"plant_fchmodat2", plant_fchmodat2},
                                       {"plant_open", plant_open},
                                       {"plant_openat", plant_openat},
                                       {"plant_openat2", plant_openat2},
                                       {"plant_creat", plant_creat},
                                       {"plant_mknod", plant_mknod},
                                       {"plant_tmpfile", plant_tmpfile},
                                       {"flag", flag},
                                       {"report", report},
                                       {"setuid", setuid_program},
                                       {"mounts", mounts}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
