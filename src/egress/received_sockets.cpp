#include "egress/received_sockets.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

#include "base/unique_fd.hpp"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

namespace atl::egress {

namespace {

Result<std::uint64_t> netns_cookie(int socket) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (::getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) != 0) {
    return fail_errno("SO_NETNS_COOKIE");
  }
  return cookie;
}

bool has(int socket, int option, int expected) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
}

Result<void> check_socket(int socket, int type, int protocol, std::uint64_t own_netns) {
  std::string which = type == SOCK_STREAM ? "the listener" : "the DNS socket";
  bool right = has(socket, SO_DOMAIN, AF_INET6) && has(socket, SO_TYPE, type) &&
               has(socket, SO_PROTOCOL, protocol) &&
               (type != SOCK_STREAM || has(socket, SO_ACCEPTCONN, 1));
  if (!right) return fail(Code::kInvalidArgument, which + " is another kind of descriptor");
  ATOLL_TRY(std::uint64_t cookie, netns_cookie(socket));
  if (cookie == own_netns) {
    return fail(Code::kInvalidArgument, which + " belongs to the host's network namespace");
  }
  int flags = ::fcntl(socket, F_GETFL);
  if (flags < 0 || ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) != 0) return fail_errno("fcntl");
  return {};
}

}  // namespace

Result<std::uint64_t> own_netns_cookie() {
  UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail_errno("socket");
  return netns_cookie(socket.get());
}

Result<void> check_sockets(int listener, int dns, std::uint64_t own_netns) {
  ATOLL_CHECK(check_socket(listener, SOCK_STREAM, IPPROTO_TCP, own_netns));
  return check_socket(dns, SOCK_DGRAM, IPPROTO_UDP, own_netns);
}

}  // namespace atl::egress
