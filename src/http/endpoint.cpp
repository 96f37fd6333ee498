#include "http/endpoint.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "async/unix_socket.hpp"
#include "http/listener.hpp"

namespace atl::http {

namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

std::unexpected<Error> fail_connect(const Endpoint& endpoint, int error) {
  return std::unexpected(Error(
      Code::kIo, "cannot connect to " + endpoint.host_header + ": " + std::strerror(error), error));
}

std::vector<Address> look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  std::vector<Address> out;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return out;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Address address;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
    out.push_back(address);
  }
  ::freeaddrinfo(found);
  return out;
}

Task<Result<std::shared_ptr<Wire>>> connect_address(async::Executor executor, Endpoint endpoint,
                                                    Address address) {
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) co_return fail_errno("socket");
  set_nodelay(fd);
  int done = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size);
  if (done != 0 && errno != EINPROGRESS) co_return fail_connect(endpoint, errno);
  auto wire = std::make_shared<Wire>(executor, std::move(fd));
  if (done != 0) {
    ATOLL_CO_CHECK(co_await wire->writable());
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(wire->fd().get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) co_return fail_connect(endpoint, error);
  }
  co_return wire;
}

}  // namespace

Result<Endpoint> parse_endpoint(const std::string& text) {
  auto wrong = [&] { return fail(Code::kInvalidArgument, "not an endpoint: " + text); };
  constexpr std::string_view kUnix = "unix://";
  Endpoint out;
  std::string_view rest = text;
  if (rest.starts_with(kUnix)) {
    out.path = rest.substr(kUnix.size());
    out.host_header = "localhost";
    if (!out.path.starts_with('/')) return wrong();
    return out;
  }
  out.tls = rest.starts_with("https://");
  if (!out.tls && !rest.starts_with("http://")) return wrong();
  rest.remove_prefix(out.tls ? 8 : 7);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.empty() || rest.find_first_of("/?#@ \r\n") != std::string_view::npos) return wrong();
  out.host_header = rest;
  std::size_t colon = rest.rfind(':');
  bool bracketed = rest.starts_with('[');
  if (bracketed && rest.find(']') == std::string_view::npos) return wrong();
  bool has_port = colon != std::string_view::npos && (!bracketed || colon > rest.find(']'));
  out.port = out.tls ? 443 : 80;
  if (has_port) {
    std::string_view number = rest.substr(colon + 1);
    auto parsed = std::from_chars(number.data(), number.data() + number.size(), out.port);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return wrong();
    rest = rest.substr(0, colon);
  }
  if (bracketed) {
    if (!rest.ends_with(']')) return wrong();
    rest = rest.substr(1, rest.size() - 2);
  }
  if (rest.empty() || (!bracketed && rest.contains(':'))) return wrong();
  out.host = rest;
  return out;
}

Task<Result<std::shared_ptr<Wire>>> connect_to(async::Executor executor, Endpoint endpoint,
                                               std::shared_ptr<async::Pool>* pool) {
  if (!endpoint.path.empty()) {
    ATOLL_CO_TRY(UniqueFd fd, co_await async::connect_unix(endpoint.path));
    co_return std::make_shared<Wire>(executor, std::move(fd));
  }
  std::vector<Address> addresses = look_up(endpoint.host, endpoint.port, AI_NUMERICHOST);
  if (addresses.empty()) {
    if (!*pool) *pool = std::make_shared<async::Pool>(1);
    std::shared_ptr<async::Pool> used = *pool;
    auto job = [endpoint] { return look_up(endpoint.host, endpoint.port, 0); };
    addresses = co_await async::on_pool(*used, job);
  }
  Result<std::shared_ptr<Wire>> wire =
      fail(Code::kIo, "cannot connect to " + endpoint.host_header + ": the name is not known");
  for (const Address& address : addresses) {
    wire = co_await connect_address(executor, endpoint, address);
    if (wire) break;
  }
  co_return wire;
}

}  // namespace atl::http
