// Line 9: new namespaces (a user namespace is the door to most kernel bugs of the last ten years)
// and other processes' namespaces.
#include <linux/sched.h>

#include "attack.hpp"

namespace {

template <int kFlag>
void make() {
  attack::verdict(unshare(kFlag), "unshare");
}

// Namespaces that need a capability: through a user namespace first, where that is open.
template <int kFlag>
void make_below() {
  attack::become_namespace_root(0);
  attack::verdict(unshare(kFlag), "unshare");
}

void by_clone() {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) {
    _exit(0);
  }
  attack::verdict(pid, "clone(CLONE_NEWUSER)");
}

// CLONE_NEWTIME shares a bit with the exit signal of clone(); in clone3 it is free to be used.
void by_clone3() {
  clone_args args{};
  args.flags = CLONE_NEWUSER;
  args.exit_signal = SIGCHLD;
  long pid = syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) {
    _exit(0);
  }
  attack::verdict(pid, "clone3(CLONE_NEWUSER)");
}

// The kernel reads 32 bits of unshare's argument and 64 of clone's: a filter must do the same.
void unshare_high_bits() {
  attack::verdict(syscall(SYS_unshare, 0x5a00000000UL | CLONE_NEWUSER), "unshare, high bits set");
}
void clone_high_bits() {
  long pid = syscall(SYS_clone, 0x5a00000000UL | CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr,
                     nullptr);
  if (pid == 0) {
    _exit(0);
  }
  attack::verdict(pid, "clone(CLONE_NEWUSER), high bits set");
}

// Entering what exists: our own user namespace is refused by the kernel with EINVAL, behind the
// wall.
void enter() {
  int fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    attack::broken("open /proc/self/ns/user");
  }
  attack::reached(syscall(SYS_setns, fd, CLONE_NEWUSER), {EINVAL}, "setns");
}

constexpr attack::Attack kAttacks[] = {{"user", make<CLONE_NEWUSER>},
                                       {"mount", make_below<CLONE_NEWNS>},
                                       {"pid", make_below<CLONE_NEWPID>},
                                       {"net", make_below<CLONE_NEWNET>},
                                       {"ipc", make_below<CLONE_NEWIPC>},
                                       {"uts", make_below<CLONE_NEWUTS>},
                                       {"cgroup", make_below<CLONE_NEWCGROUP>},
                                       {"time", make_below<CLONE_NEWTIME>},
                                       {"clone", by_clone},
                                       {"clone3", by_clone3},
                                       {"unshare_high_bits", unshare_high_bits},
                                       {"clone_high_bits", clone_high_bits},
                                       {"setns", enter}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
