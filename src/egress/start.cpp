#include "egress/start.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "base/send_fds.hpp"
#include "base/spawn_setup.hpp"

namespace atl::egress {

namespace {

constexpr int kHandedOver = 3;  // the descriptor that the program is told of
constexpr int kBacklog = 16;

Result<UniqueFd> unix_socket() {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return fail_errno("control socket");
  return socket;
}

// Nothing of the caller's terminal or pipes: the program may outlive it.
Result<Child> spawn(const std::string& path, std::vector<std::string> words, const UniqueFd& fd) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  SpawnSetup setup;
  for (int stream = 0; stream < 3; ++stream) {
    ::posix_spawn_file_actions_addopen(&setup.actions, stream, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawn_file_actions_adddup2(&setup.actions, fd.get(), kHandedOver);
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSID);
  char* empty[] = {nullptr};
  pid_t pid = 0;
  int error =
      ::posix_spawn(&pid, path.c_str(), &setup.actions, &setup.attributes, argv.data(), empty);
  if (error != 0) return fail_errno("starting atoll-egress", error);
  return Child::own(pid);
}

std::vector<std::string> words_of(const StartOptions& options, const char* socket) {
  std::vector<std::string> words{std::string(kProgram),
                                 socket,
                                 std::to_string(kHandedOver),
                                 "--client-uid",
                                 std::to_string(options.client_uid),
                                 "--idle-seconds",
                                 std::to_string(options.idle.count())};
  if (options.once) words.emplace_back("--once");
  return words;
}

}  // namespace

// Nobody but its owner can connect, not even for a moment: the mode is set on the socket before it
// has a name.
Result<UniqueFd> listen_at(const std::string& path) {
  std::size_t slash = path.rfind('/') + 1;  // 0: in the working folder
  std::string parent = slash == 0 ? "." : path.substr(0, slash);
  UniqueFd folder(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail_errno("folder of the control socket");
  sockaddr_un address{.sun_family = AF_UNIX};
  std::string name = path;
  if (name.size() >= sizeof address.sun_path) {  // it has room for 108 bytes
    name = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + path.substr(slash);
  }
  if (name.size() >= sizeof address.sun_path) {
    return fail(Code::kInvalidArgument, "the name of the control socket is too long");
  }
  std::memcpy(address.sun_path, name.data(), name.size());
  ATOLL_TRY(UniqueFd socket, unix_socket());
  if (::fchmod(socket.get(), 0600) != 0) return fail_errno("control socket");
  ::unlink(name.c_str());
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno("binding the control socket");
  }
  if (::listen(socket.get(), kBacklog) != 0) return fail_errno("listen");
  return socket;
}

// The kernel chooses an abstract name. The program checks the uid of its clients.
Result<ControlPair> control_pair() {
  ATOLL_TRY(UniqueFd listener, unix_socket());
  ATOLL_TRY(UniqueFd client, unix_socket());
  sockaddr_un address{.sun_family = AF_UNIX};
  socklen_t size = sizeof(sa_family_t);
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    return fail_errno("binding the control socket");
  }
  size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::connect(client.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) {
    return fail_errno("connecting the control socket");
  }
  return ControlPair{std::move(listener), std::move(client)};
}

Result<Child> start(const StartOptions& options, UniqueFd listener) {
  return spawn(options.program, words_of(options, "--control-fd"), listener);
}

Result<Starter> Starter::make(const StartOptions& options) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    return fail_errno("socketpair");
  }
  UniqueFd ours(pair[0]), its(pair[1]);
  ATOLL_TRY(Child child, spawn(options.program, words_of(options, "--starter-fd"), its));
  child.detach();  // it ends when `ours` is closed
  return Starter(std::move(ours));
}

Result<void> Starter::start(UniqueFd listener) const {
  int fd = listener.get();
  if (send_fds(socket_.get(), "+", 1, {&fd, 1}) == 1) return {};
  return fail(Error(Code::kBackend, "the process that starts atoll-egress is gone", errno));
}

}  // namespace atl::egress
