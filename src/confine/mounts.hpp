// Mounts by descriptor, and places to mount on. Like the calls behind them, these say whether it
// worked, and errno why not. `dir` may be AT_FDCWD.
#pragma once

#include <sys/mount.h>

#include "confine/files.hpp"
#include "confine/mount_api.hpp"

namespace atl::confine {

// A place to mount on, with the folders on the way where something can be written at all.
bool make_mount_point(const char* path, bool folder);

// A detached copy, a change of its attributes, its way to `target`.
inline UniqueFd clone_mount(int dir, const char* path, unsigned flags = 0) {
  return UniqueFd(
      open_tree(dir, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | flags));
}
inline bool change_mount(int dir, const char* path, mount_attr change, unsigned flags = 0) {
  return mount_setattr(dir, path, AT_EMPTY_PATH | flags, &change, sizeof change) == 0;
}
inline bool attach_mount(int mount, const char* target) {
  return move_mount(mount, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

}  // namespace atl::confine
