#include "async/unix_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace atl::async {

namespace {

// sun_path holds 108 bytes; a longer path goes through a descriptor of its folder.
Result<UniqueFd> shorten(std::string& path) {
  auto slash = path.rfind('/');
  if (slash == std::string::npos) return fail(Code::kInvalidArgument, "socket name is too long");
  UniqueFd folder(::open(path.substr(0, slash + 1).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail_errno("open socket folder");
  path = "/proc/self/fd/" + std::to_string(folder.get()) + path.substr(slash);
  return folder;
}

}  // namespace

Result<UniqueFd> connect_unix_now(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string name = path;
  UniqueFd folder;
  if (name.size() >= sizeof(address.sun_path)) {
    ATOLL_TRY(folder, shorten(name));
    if (name.size() >= sizeof(address.sun_path)) {
      return fail(Code::kInvalidArgument, "socket name is too long");
    }
  }
  std::memcpy(address.sun_path, name.data(), name.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno("socket");
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail_errno("connect");
  }
  return fd;
}

bool is_nobody_there(const Error& error) {
  return error.errno_value() == ENOENT || error.errno_value() == ECONNREFUSED;
}

Task<Result<UniqueFd>> connect_unix(std::string path, Deadline deadline) {
  using namespace std::chrono_literals;
  for (;;) {
    Result<UniqueFd> fd = connect_unix_now(path);
    // The kernel does not tell when a backlog has room again, so this one is polled.
    if (fd || fd.error().errno_value() != EAGAIN || std::chrono::steady_clock::now() >= deadline)
      co_return fd;
    co_await sleep_for(1ms);
  }
}

}  // namespace atl::async
