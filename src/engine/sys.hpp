// What the engine asks of the kernel in more than one place. Like the calls behind them, these say
// whether it worked, and errno why not. `dir` may be AT_FDCWD.
#pragma once

#include <sched.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "confine/mounts.hpp"
#include "confine/text.hpp"

namespace atl::engine {

using confine::change_mount, confine::clone_mount, confine::make_mount_point;
using confine::make_folder, confine::open_at, confine::Text;

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

bool write_file(int dir, const char* name, std::string_view bytes, int flags = O_WRONLY,
                mode_t mode = 0600);
// All of it, up to a bound; empty when unreadable.
inline constexpr std::size_t kMaxFile = 1 << 20;
std::string read_file(int dir, const char* name);
// Processes: like fork, into new namespaces; and their sudden end.
pid_t clone_child(std::uint64_t flags, UniqueFd& pidfd);
void send_kill(const UniqueFd& pidfd);
void end_child(const UniqueFd& pidfd);

// Where an open file lies; empty when unknown.
std::string path_of(const UniqueFd& file);
// Two ends of a pipe, and of a Unix socket.
bool make_pipe(UniqueFd& read_end, UniqueFd& write_end);
bool make_link(UniqueFd& one_end, UniqueFd& other_end);
// A socket DIR/NAME that nobody but its owner could ever connect to; listening at once, or when
// whoever gets it says so.
UniqueFd listen_at(const UniqueFd& dir, const char* name, int type, const uid_t* owner,
                   bool at_once = true);

inline bool attach_mount(const UniqueFd& mount, const char* target) {
  return confine::attach_mount(mount.get(), target);
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
// New namespaces without a process in them; a descriptor of the one called `name`. With `map`, the
// user namespace among them has these ids.
UniqueFd make_namespace(std::uint64_t flags, const char* name, std::string_view map = {});
// A user namespace that only describes how a mount shows its owners: files of an inside id (uid and
// gid alike) appear as files of the outside one, everybody else's as nobody's.
inline UniqueFd make_idmap(std::string_view map) {
  return make_namespace(CLONE_NEWUSER, "user", map);
}

// Has another effective uid until end(): a user namespace belongs to whoever makes it, and what is
// counted per user in it counts for that one as well. Powers stay (launcher_walls.cpp).
class ActingAs {
 public:
  explicit ActingAs(uid_t uid);
  ~ActingAs() { end(); }
  ActingAs(const ActingAs&) = delete;
  void end();

 private:
  bool changed_ = false;
};

}  // namespace atl::engine
