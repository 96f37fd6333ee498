// What the engine asks of the kernel in more than one place. Like the calls behind them, these say
// whether it worked, and errno why not. `dir` may be AT_FDCWD.
#pragma once

#include <sched.h>

#include <cerrno>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "confine/files.hpp"
#include "confine/text.hpp"

namespace atl::engine {

using confine::make_folder, confine::open_at, confine::Text;

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <typename T>
std::span<char> bytes_at(T& value) {
  return {reinterpret_cast<char*>(&value), sizeof value};
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

// Two ends of a pipe, and of a Unix socket.
bool make_pipe(UniqueFd& read_end, UniqueFd& write_end);
bool make_link(UniqueFd& one_end, UniqueFd& other_end);
// One message, and its descriptors, which are owned from the first moment. Its size as it was sent,
// which may be more than there is room for; 0 at the end, -1 when none is there and `wait` is not
// set.
ssize_t receive_fds(int socket, std::span<char> bytes, std::vector<UniqueFd>& fds,
                    bool wait = false);
// A socket DIR/NAME that nobody but its owner could ever connect to; listening at once, or when
// whoever gets it says so.
UniqueFd listen_at(const UniqueFd& dir, const char* name, int type, const uid_t* owner,
                   bool at_once = true);

// A namespace that is kept by a bind mount on the file NAME, as `ip netns` does.
UniqueFd open_kept(const UniqueFd& dir, const char* name);

// A sum (FNV-1a) over bytes, which goes on from that over others.
inline constexpr std::uint64_t kNoSum = 0xcbf29ce484222325;
std::uint64_t sum_up(std::uint64_t sum, std::string_view bytes);

// Ids: lines "INSIDE OUTSIDE 1" for a process in a new user namespace. Without privileges setgroups
// must be denied first.
bool write_id_maps(pid_t pid, std::string_view uids, std::string_view gids, bool deny_setgroups);
// Has another effective uid until end(): a user namespace belongs to whoever makes it, and what is
// counted per user in it counts for that one as well. Powers stay (launcher_walls.cpp), unless
// `powerless`: a file's opener is whom the kernel asks for rights, long after.
class ActingAs {
 public:
  explicit ActingAs(uid_t uid, bool powerless = false);
  ~ActingAs() { end(); }
  ActingAs(const ActingAs&) = delete;
  void end();

 private:
  bool changed_ = false, powerless_ = false;
};

}  // namespace atl::engine
