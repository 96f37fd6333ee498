#include "http/listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "async/unix_socket.hpp"

namespace atl::http {

namespace {

constexpr int kBacklog = 1024;
constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

std::unexpected<Error> fail_listen(const std::string& address, int error) {
  bool taken = error == EADDRINUSE;
  Code code = taken ? Code::kAlreadyExists : code_from_errno(error);
  std::string why = taken ? "the address is in use: choose another" : std::strerror(error);
  return std::unexpected(Error(code, "cannot listen on " + address + ": " + why, error));
}

bool parse_address(const std::string& text, Address& out) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  std::string host = text.substr(0, colon);
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    out.size = sizeof(*v6);
    return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6->sin6_addr) == 1;
  }
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out.storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(port);
  out.size = sizeof(*v4);
  return ::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1;
}

std::uint16_t port_of(const Address& address) {
  if (address.storage.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
}

std::string name_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.storage.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
    return "[" + std::string(text) + "]:" + std::to_string(port_of(address));
  }
  if (address.storage.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
    return std::string(text) + ":" + std::to_string(port_of(address));
  }
  return "unix";
}

}  // namespace

Result<Listener> Listener::open(const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  if (address.starts_with(kUnix)) return open_unix(address.substr(kUnix.size()));
  return open_tcp(address);
}

Result<Listener> Listener::open_tcp(const std::string& address) {
  Address where;
  if (!parse_address(address, where)) {
    return fail(Code::kInvalidArgument, "not an address to listen on: " + address);
  }
  Listener out;
  out.is_tcp = true;
  out.fd = UniqueFd(::socket(where.storage.ss_family, kKind, 0));
  if (!out.fd) return fail_listen(address, errno);
  // Never SO_REUSEPORT: a second server must fail here, not take half of the connections.
  int on = 1;
  ::setsockopt(out.fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (where.storage.ss_family == AF_INET6) {
    ::setsockopt(out.fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  }
  if (::bind(out.fd.get(), where.get(), where.size) != 0 || ::listen(out.fd.get(), kBacklog) != 0) {
    return fail_listen(address, errno);
  }
  where.size = sizeof(where.storage);
  if (::getsockname(out.fd.get(), where.get(), &where.size) != 0) return fail_errno("getsockname");
  out.port = port_of(where);
  out.address = name_of(where);
  return out;
}

Result<Listener> Listener::open_unix(const std::string& path) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  std::string address = "unix:" + path;
  if (path.empty() || path.size() >= sizeof(where.sun_path)) {
    return fail(Code::kInvalidArgument, "the path of a Unix socket has 1 to 107 bytes: " + address);
  }
  std::memcpy(where.sun_path, path.data(), path.size());
  Listener out;
  out.fd = UniqueFd(::socket(AF_UNIX, kKind, 0));
  if (!out.fd) return fail_listen(address, errno);
  ::fchmod(out.fd.get(), 0600);  // before bind, so that it never exists otherwise
  auto try_bind = [&] {
    return ::bind(out.fd.get(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0;
  };
  bool bound = try_bind();
  if (!bound && errno == EADDRINUSE) {
    Result<UniqueFd> other = async::connect_unix_now(path);
    bool left_behind = !other && other.error().errno_value() == ECONNREFUSED;
    if (!left_behind) return fail_listen(address, EADDRINUSE);
    ::unlink(path.c_str());
    bound = try_bind();
  }
  if (!bound || ::listen(out.fd.get(), kBacklog) != 0) return fail_listen(address, errno);
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return fail_listen(address, errno);
  out.device_ = info.st_dev;
  out.inode_ = info.st_ino;
  out.path_ = path;
  out.address = std::move(address);
  return out;
}

Listener::~Listener() {
  struct stat info{};
  if (path_.empty() || ::stat(path_.c_str(), &info) != 0) return;
  if (info.st_dev == device_ && info.st_ino == inode_) ::unlink(path_.c_str());
}

std::string peer_name(const UniqueFd& fd) {
  Address peer;
  peer.size = sizeof(peer.storage);
  if (::getpeername(fd.get(), peer.get(), &peer.size) != 0) return "unknown";
  return name_of(peer);
}

void set_nodelay(const UniqueFd& fd) {
  int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace atl::http
