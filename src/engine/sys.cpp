#include "engine/sys.hpp"

#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/send_fds.hpp"

namespace atl::engine {

constexpr auto kSame = static_cast<uid_t>(-1);

bool write_file(int dir, const char* name, std::string_view bytes, int flags, mode_t mode) {
  UniqueFd fd = open_at(dir, name, flags, mode);
  return fd && ::write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

std::string read_file(int dir, const char* name) {
  UniqueFd fd = open_at(dir, name);
  std::string bytes;
  char part[4096];
  for (ssize_t size = 1; fd && size > 0 && bytes.size() < kMaxFile;) {
    size = ::read(fd.get(), part, sizeof part);
    if (size > 0) bytes.append(part, static_cast<std::size_t>(size));
  }
  return bytes;
}

pid_t clone_child(std::uint64_t flags, UniqueFd& pidfd) {
  int fd = -1;
  clone_args args{.flags = flags | CLONE_PIDFD,
                  .pidfd = reinterpret_cast<std::uint64_t>(&fd),
                  .exit_signal = (flags & CLONE_PARENT) != 0 ? 0ull : SIGCHLD};
  auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
  if (pid > 0) pidfd.reset(fd);
  return pid;
}

void send_kill(const UniqueFd& pidfd) {
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

void end_child(const UniqueFd& pidfd) {
  send_kill(pidfd);
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &info, WEXITED);
}

bool own_both(bool made, const int (&ends)[2], UniqueFd& first, UniqueFd& second) {
  first.reset(made ? ends[0] : -1);
  second.reset(made ? ends[1] : -1);
  return made;
}

bool make_pipe(UniqueFd& read_end, UniqueFd& write_end) {
  int ends[2];
  return own_both(::pipe2(ends, O_CLOEXEC) == 0, ends, read_end, write_end);
}

bool make_link(UniqueFd& one_end, UniqueFd& other_end) {
  int ends[2];
  bool made = ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
  return own_both(made, ends, one_end, other_end);
}

ssize_t receive_fds(int socket, std::span<char> bytes, std::vector<UniqueFd>& fds, bool wait) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxSentFds)];
  iovec part{bytes.data(), bytes.size()};
  msghdr message{
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  // MSG_TRUNC: the size that was sent, so that a longer message is not taken for a whole one.
  int flags = MSG_CMSG_CLOEXEC | MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT);
  ssize_t size = ::recvmsg(socket, &message, flags);
  if (size < 0) return errno == EAGAIN || errno == EINTR ? -1 : 0;
  // The kernel gathers all descriptors of a message under one header.
  if (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr && at->cmsg_type == SCM_RIGHTS) {
    const int* given = reinterpret_cast<const int*>(CMSG_DATA(at));
    std::size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (int fd : std::span(given, count)) fds.emplace_back(fd);
  }
  return size;
}

UniqueFd listen_at(const UniqueFd& dir, const char* name, int type, const uid_t* owner,
                   bool at_once) {
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", dir.get(), name);
  // The mode before the name: nobody else may connect in between.
  if (!fd || ::fchmod(fd.get(), 0600) != 0 ||
      ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      (owner && ::fchownat(dir.get(), name, *owner, kSame, AT_SYMLINK_NOFOLLOW) != 0) ||
      (at_once && ::listen(fd.get(), 8) != 0)) {
    return {};
  }
  return fd;
}

UniqueFd open_kept(const UniqueFd& dir, const char* name) {
  UniqueFd kept = open_at(dir.get(), name);
  struct statfs fs{};
  if (!kept || ::fstatfs(kept.get(), &fs) != 0 || fs.f_type != NSFS_MAGIC) return {};
  return kept;
}

std::uint64_t sum_up(std::uint64_t sum, std::string_view bytes) {
  for (char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

bool write_id_maps(pid_t pid, std::string_view uids, std::string_view gids, bool deny_setgroups) {
  auto write = [pid](const char* file, std::string_view text) {
    return write_file(AT_FDCWD, Text("/proc/%d/%s", pid, file).c_str(), text);
  };
  return (!deny_setgroups || write("setgroups", "deny")) && write("uid_map", uids) &&
         write("gid_map", gids);
}

bool use_powers(bool on) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  for (auto& set : sets) set.effective = on ? set.permitted : 0;
  return ::syscall(SYS_capset, &header, sets) == 0;
}

ActingAs::ActingAs(uid_t uid, bool powerless) : powerless_(uid != 0 && powerless) {
  changed_ = uid != 0 && ::syscall(SYS_setresuid, kSame, uid, kSame) == 0;
  if (powerless_ && !(changed_ && use_powers(false))) ::abort();
}

void ActingAs::end() {
  if (std::exchange(powerless_, false) && !use_powers(true)) ::abort();
  if (std::exchange(changed_, false) && ::syscall(SYS_setresuid, kSame, 0, kSame) != 0) ::abort();
}

}  // namespace atl::engine
