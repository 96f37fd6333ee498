// What the engine asks of the kernel in more than one place. Like the calls behind them, these say
// whether it worked, and errno why not. `dir` may be AT_FDCWD.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "engine/mount_api.hpp"

namespace atl::engine {

// A short text on the stack: a name or a line of options.
class Text {
 public:
  [[gnu::format(printf, 2, 3)]] explicit Text(const char* format, ...);
  const char* c_str() const { return text_; }
  operator std::string_view() const { return text_; }

 private:
  char text_[192];
};

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Files: close-on-exec, and never by way of a link at the end of the name.
inline UniqueFd open_at(int dir, const char* name, int flags = O_RDONLY, mode_t mode = 0600) {
  return UniqueFd(::openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, mode));
}
bool write_file(int dir, const char* name, std::string_view bytes, int flags = O_WRONLY,
                mode_t mode = 0600);
std::string read_file(int dir, const char* name);  // its first 1023 bytes; empty when unreadable
// Folders: true when one is there afterwards.
inline bool make_folder(int dir, const char* name, mode_t mode) {
  return ::mkdirat(dir, name, mode) == 0 || errno == EEXIST;
}
// A place to mount on, with the folders on the way where something can be written at all.
bool make_mount_point(const char* path, bool folder);

// Processes: like fork, into new namespaces; and their sudden end.
pid_t clone_child(std::uint64_t flags, UniqueFd& pidfd);
void send_kill(const UniqueFd& pidfd);
void end_child(const UniqueFd& pidfd);

// Two ends of a pipe.
bool make_pipe(UniqueFd& read_end, UniqueFd& write_end);
// A socket DIR/NAME that nobody but its owner could ever connect to; listening at once, or when
// whoever gets it says so.
UniqueFd listen_at(const UniqueFd& dir, const char* name, int type, const uid_t* owner,
                   bool at_once = true);

// Mounts: a detached copy, a change of its attributes, its way to `target`.
inline UniqueFd clone_mount(int dir, const char* path, unsigned flags = 0) {
  return UniqueFd(
      open_tree(dir, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | flags));
}
inline bool change_mount(int dir, const char* path, mount_attr change, unsigned flags = 0) {
  return mount_setattr(dir, path, AT_EMPTY_PATH | flags, &change, sizeof change) == 0;
}
inline bool attach_mount(const UniqueFd& mount, const char* target) {
  return move_mount(mount.get(), "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}
inline mount_attr show_owners(const UniqueFd& idmap) {
  return {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = static_cast<std::uint64_t>(idmap.get())};
}

// Namespaces: kept by a bind mount on the file NAME, as `ip netns` does, and found there again.
UniqueFd open_kept(const UniqueFd& dir, const char* name);
bool keep_namespace(const UniqueFd& ns, const UniqueFd& dir, const char* name);

// Ids: lines "INSIDE OUTSIDE 1" for a process in a new user namespace. Without privileges setgroups
// must be denied first.
bool write_id_maps(pid_t pid, std::string_view uids, std::string_view gids, bool deny_setgroups);
// A user namespace that only describes how a mount shows its owners: files of an inside id (uid and
// gid alike) appear as files of the outside one, everybody else's as nobody's.
UniqueFd make_idmap(std::string_view map);

}  // namespace atl::engine
