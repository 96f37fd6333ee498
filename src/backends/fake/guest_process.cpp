#include "backends/fake/guest_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/spawn_setup.hpp"
#include "base/unique_fd.hpp"

namespace atl::backends::fake {

namespace {

Result<UniqueFd> listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return fail(Code::kInvalidArgument, "run folder is too deep");
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno("socket");
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail_errno("bind");
  }
  if (::listen(fd.get(), 8) != 0) return fail_errno("listen");
  return fd;
}

// A pipe that holds the whole configuration already: nobody has to wait for anybody.
Result<UniqueFd> config_pipe(const guest::Token& token) {
  guest::GuestConfig config{.user_uid = ::getuid(), .user_gid = ::getgid(), .token = token};
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return fail_errno("pipe2");
  UniqueFd read_end(fds[0]);
  UniqueFd write_end(fds[1]);
  if (::write(write_end.get(), &config, sizeof(config)) != ssize_t{sizeof(config)}) {
    return fail_errno("write configuration");
  }
  return read_end;
}

// posix_spawn's dup2 clears close-on-exec only when the numbers differ, so sources sit above 4.
Result<UniqueFd> above_fixed_numbers(UniqueFd fd) {
  UniqueFd high(::fcntl(fd.get(), F_DUPFD_CLOEXEC, guest::kFirstTaskFd));
  if (!high) return fail_errno("dup");
  return high;
}

}  // namespace

Result<pid_t> start_guest(const std::string& program, const std::string& socket_path,
                          const guest::Token& token) {
  ATOLL_TRY(UniqueFd listener, listen_at(socket_path));
  ATOLL_TRY(listener, above_fixed_numbers(std::move(listener)));
  ATOLL_TRY(UniqueFd config, config_pipe(token));
  ATOLL_TRY(config, above_fixed_numbers(std::move(config)));

  SpawnSetup setup;
  ::posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, 0, 1);
  ::posix_spawn_file_actions_adddup2(&setup.actions, config.get(), guest::kConfigFd);
  ::posix_spawn_file_actions_adddup2(&setup.actions, listener.get(), guest::kListenFd);
  sigset_t nothing_blocked;
  ::sigemptyset(&nothing_blocked);
  ::posix_spawnattr_setsigmask(&setup.attributes, &nothing_blocked);
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);

  std::string name = "atoll-guest";
  std::array<char*, 2> argv{name.data(), nullptr};
  std::array<char*, 1> env{nullptr};
  pid_t pid = 0;
  int error = ::posix_spawn(&pid, program.c_str(), &setup.actions, &setup.attributes, argv.data(),
                            env.data());
  if (error != 0) return fail_errno("start atoll-guest", error);
  return pid;
}

}  // namespace atl::backends::fake
