// Line 10: the mount API, old and new. Each attack first makes itself root of a user and a mount
// namespace where nothing stops that, so the control run needs seccomp off and nothing else.
#include <linux/mount.h>

#include "attack.hpp"

namespace {

#ifndef SYS_open_tree_attr
constexpr long SYS_open_tree_attr = 467;
#endif
constexpr long kStatmount = 457;
constexpr long kListmount = 458;

// <sys/mount.h> and <linux/mount.h> do not go together in glibc 2.36.
long mount_call(const char* source, const char* target, const char* type, unsigned long flags) {
  return syscall(SYS_mount, source, target, type, flags, nullptr);
}

bool prepare() { return attack::become_namespace_root(CLONE_NEWNS); }

void old_mount() {
  prepare();
  attack::verdict(mount_call("none", "/tmp", "tmpfs", 0), "mount tmpfs");
}
void bind() {
  prepare();
  attack::verdict(mount_call("/usr", "/tmp", nullptr, MS_BIND | MS_REC), "bind mount");
}
// /tmp is ours to remount; the flags of inherited mounts are locked by the kernel as well.
void remount() {
  prepare();
  mount_call("none", "/tmp", "tmpfs", 0);
  attack::verdict(mount_call("none", "/tmp", nullptr, MS_REMOUNT | MS_NOEXEC), "remount");
}
void propagation() {
  prepare();
  attack::verdict(mount_call("none", "/", nullptr, MS_REC | MS_SHARED), "make / shared");
}
void unmount() {
  prepare();
  mount_call("none", "/tmp", "tmpfs", 0);
  attack::verdict(syscall(SYS_umount2, "/tmp", 0), "umount2");
}
void pivot() {
  prepare();
  mount_call("none", "/tmp", "tmpfs", 0);
  if (chdir("/tmp") != 0) {
    attack::broken("chdir");
  }
  attack::verdict(syscall(SYS_pivot_root, ".", "."), "pivot_root");
}
void new_fsopen() {
  prepare();
  attack::verdict(syscall(SYS_fsopen, "tmpfs", 0), "fsopen");
}
void new_fsconfig() {
  attack::reached(syscall(SYS_fsconfig, -1, 6, nullptr, nullptr, 0), {EBADF, EINVAL}, "fsconfig");
}
void new_fsmount() {
  prepare();
  attack::reached(syscall(SYS_fsmount, -1, 0, 0), {EBADF, EINVAL}, "fsmount");
}
void new_fspick() {
  prepare();
  attack::reached(syscall(SYS_fspick, -1, "nowhere", 0), {EBADF, ENOENT}, "fspick");
}
void new_open_tree() {
  prepare();
  attack::verdict(syscall(SYS_open_tree, AT_FDCWD, "/usr", OPEN_TREE_CLONE | AT_RECURSIVE),
                  "open_tree(CLONE)");
}
void new_open_tree_attr() {
  prepare();
  attack::verdict(
      syscall(SYS_open_tree_attr, AT_FDCWD, "/usr", OPEN_TREE_CLONE | AT_RECURSIVE, nullptr, 0),
      "open_tree_attr(CLONE)");
}
void new_move_mount() {
  prepare();
  attack::reached(syscall(SYS_move_mount, -1, "nowhere", -1, "nowhere", 0), {EBADF, ENOENT},
                  "move_mount");
}
void new_mount_setattr() {
  attack::reached(syscall(SYS_mount_setattr, -1, "", 0, nullptr, 0), {EINVAL, EBADF, EFAULT},
                  "mount_setattr");
}
// Telling about mounts of other namespaces; new in 6.8.
void new_statmount() {
  attack::reached(syscall(kStatmount, nullptr, nullptr, 0, 0), {EFAULT, EINVAL}, "statmount");
}
void new_listmount() {
  attack::reached(syscall(kListmount, nullptr, nullptr, 0, 0), {EFAULT, EINVAL}, "listmount");
}

constexpr attack::Attack kAttacks[] = {
    {"mount", old_mount},           {"bind", bind},
    {"remount", remount},           {"propagation", propagation},
    {"umount2", unmount},           {"pivot_root", pivot},
    {"fsopen", new_fsopen},         {"fsconfig", new_fsconfig},
    {"fsmount", new_fsmount},       {"fspick", new_fspick},
    {"open_tree", new_open_tree},   {"open_tree_attr", new_open_tree_attr},
    {"move_mount", new_move_mount}, {"mount_setattr", new_mount_setattr},
    {"statmount", new_statmount},   {"listmount", new_listmount}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
