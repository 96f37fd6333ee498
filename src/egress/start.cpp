#include "egress/start.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/spawn_setup.hpp"
#include "base/unique_fd.hpp"

namespace atl::egress {

namespace {

constexpr int kControlFd = 3;

// Nobody but its owner can connect, not even for a moment: the mode is set on the socket before it
// has a name.
Result<UniqueFd> listen_at(const std::string& path, uid_t owner) {
  sockaddr_un address{.sun_family = AF_UNIX};
  if (path.size() >= sizeof address.sun_path) {
    return fail(Code::kInvalidArgument, "the path of the control socket is too long");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::fchmod(socket.get(), 0600) != 0) return fail_errno("control socket");
  ::unlink(path.c_str());
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno("binding the control socket");
  }
  if (owner != ::geteuid() && ::lchown(path.c_str(), owner, static_cast<gid_t>(-1)) != 0) {
    return fail_errno("owner of the control socket");
  }
  if (::listen(socket.get(), 16) != 0) return fail_errno("listen");
  return socket;
}

}  // namespace

Result<Child> start(const StartOptions& options) {
  ATOLL_TRY(UniqueFd socket, listen_at(options.socket, options.client_uid));
  std::string fd = std::to_string(kControlFd), uid = std::to_string(options.client_uid),
              idle = std::to_string(options.idle.count());
  std::string program = options.program;
  std::string name = "atoll-egress", control = "--control-fd", client = "--client-uid",
              seconds = "--idle-seconds", once = "--once";
  std::array<char*, 9> words{
      name.data(), control.data(), fd.data(),   client.data(),
      uid.data(),  seconds.data(), idle.data(), options.once ? once.data() : nullptr,
      nullptr};
  SpawnSetup setup;
  ::posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, socket.get(), kControlFd);
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSID);
  char* empty[] = {nullptr};
  pid_t pid = 0;
  int error =
      ::posix_spawn(&pid, program.c_str(), &setup.actions, &setup.attributes, words.data(), empty);
  if (error != 0) return fail_errno("starting atoll-egress", error);
  return Child::own(pid);
}

}  // namespace atl::egress
