// The kernel's mount calls by descriptor (Linux 5.2 and later), for a C library that has no names
// for them.
#pragma once

#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace atl::confine {

inline int open_tree(int folder, const char* path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_open_tree, folder, path, flags));
}
inline int move_mount(int from, const char* from_path, int to, const char* to_path,
                      unsigned flags) {
  return static_cast<int>(::syscall(SYS_move_mount, from, from_path, to, to_path, flags));
}
inline int fsopen(const char* type, unsigned flags) {
  return static_cast<int>(::syscall(SYS_fsopen, type, flags));
}
inline int fsconfig(int context, unsigned command, const char* key, const void* value, int extra) {
  return static_cast<int>(::syscall(SYS_fsconfig, context, command, key, value, extra));
}
inline int fsmount(int context, unsigned flags, unsigned attributes) {
  return static_cast<int>(::syscall(SYS_fsmount, context, flags, attributes));
}
inline int mount_setattr(int folder, const char* path, unsigned flags, mount_attr* attr,
                         std::size_t size) {
  return static_cast<int>(
      ::syscall(442 /* newer than some headers */, folder, path, flags, attr, size));
}

}  // namespace atl::confine
