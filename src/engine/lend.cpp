#include "engine/mounts.hpp"

namespace atl::engine {

std::string path_of(const UniqueFd& file) {
  char path[4096] = {};
  Text link("/proc/self/fd/%d", file.get());
  return ::readlink(link.c_str(), path, sizeof path - 1) > 0 ? path : "";
}

// O_PATH proves no right to read, and only files of the mount owner keep an owner inside: nobody is
// lent the launcher's own rights.
Outcome<UniqueFd> lend_mount(const UniqueFd& source, bool read_only, bool folder,
                             const UniqueFd& idmap) {
  int flags = ::fcntl(source.get(), F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0) return failed(Step::kMount, EACCES);
  if (!read_only && !folder && (flags & O_ACCMODE) == O_RDONLY) return failed(Step::kMount, EACCES);
  UniqueFd tree;
  mount_attr attr{};
  if (idmap) {
    attr = show_owners(idmap);
    tree = clone_mount(source.get(), "");
  } else {  // rootless: the same user on both sides of another mount namespace; reopen by path
    tree = clone_mount(AT_FDCWD, path_of(source).c_str(), AT_RECURSIVE);
  }
  attr.propagation = MS_PRIVATE;
  attr.attr_set |= MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0);
  if (!tree || !change_mount(tree.get(), "", attr, idmap ? 0 : AT_RECURSIVE)) {
    return failed(Step::kMount);
  }
  return tree;
}

}  // namespace atl::engine
