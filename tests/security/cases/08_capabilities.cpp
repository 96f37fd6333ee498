// Line 8: capabilities in any of the five sets, ways to get one back, and use of one.
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>

#include "attack.hpp"

namespace {

void sets() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) {
    attack::broken("capget");
  }
  for (const auto& half : data) {
    if ((half.effective | half.permitted | half.inheritable) != 0) {
      attack::through("effective %x permitted %x inheritable %x", half.effective, half.permitted,
                      half.inheritable);
    }
  }
  for (int cap = 0; cap < 64; ++cap) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1) {
      attack::through("ambient capability %d", cap);
    }
  }
  attack::holds("effective, permitted, inheritable and ambient are empty");
}

void bounding() {
  for (int cap = 0; cap < 64; ++cap) {
    if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1) {
      attack::through("capability %d is in the bounding set", cap);
    }
  }
  attack::holds("the bounding set is empty");
}

void securebits() {
  constexpr int kWanted = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED |
                          SECBIT_KEEP_CAPS_LOCKED;
  int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
  if ((bits & kWanted) != kWanted) {
    attack::through("securebits are %x", bits);
  }
  attack::holds("securebits %x are locked", bits);
}

// Becoming another user, root first.
void become_root() {
  for (unsigned uid : {0u, 1u, 65534u}) {
    if (setresuid(uid, uid, uid) == 0 && getuid() == uid) {
      attack::through("became uid %u", uid);
    }
  }
  if (setgroups(0, nullptr) == 0) {
    attack::through("dropped groups");
  }
  attack::stopped(errno, "setresuid");
}

void use_chroot() {
  attack::become_namespace_root(0);
  attack::verdict(chroot("/tmp"), "chroot");
}

void use_chown() {
  const char* path = "/tmp/chowned";
  int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) {
    attack::broken("open %s", path);
  }
  unsigned other = getuid() == 0 ? 1 : 0;
  attack::verdict(fchown(fd, other, other), "fchown to another user");
}

constexpr attack::Attack kAttacks[] = {{"sets", sets},
                                       {"bounding", bounding},
                                       {"securebits", securebits},
                                       {"become_root", become_root},
                                       {"chroot", use_chroot},
                                       {"chown", use_chown}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
