#include "egress/endpoint.hpp"

#include <charconv>
#include <cstring>

namespace atl::egress {

std::optional<Endpoint> Endpoint::parse(std::string_view text, std::uint16_t default_port) {
  Endpoint result{.port = default_port};
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    std::size_t end = text.find(']');
    if (end == text.npos) return std::nullopt;
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return std::nullopt;
  } else if (std::size_t colon = text.find(':'); colon != text.npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    port = text.substr(colon);
  }
  std::optional<Address> address = Address::parse(host);
  if (!address) return std::nullopt;
  result.address = *address;
  if (port.empty()) return result;
  port.remove_prefix(1);
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), result.port);
  if (error != std::errc() || end != port.data() + port.size() || result.port == 0) {
    return std::nullopt;
  }
  return result;
}

Endpoint Endpoint::from(const sockaddr_storage& from) {
  Endpoint result;
  if (from.ss_family == AF_INET) {
    sockaddr_in four;
    std::memcpy(&four, &from, sizeof four);
    result.address = Address::v4(ntohl(four.sin_addr.s_addr));
    result.port = ntohs(four.sin_port);
  } else {
    sockaddr_in6 six;
    std::memcpy(&six, &from, sizeof six);
    std::memcpy(result.address.bytes.data(), &six.sin6_addr, 16);
    result.port = ntohs(six.sin6_port);
  }
  return result;
}

SocketAddress::SocketAddress(const Endpoint& endpoint) {
  if (endpoint.address.is_v4()) {
    sockaddr_in four{.sin_family = AF_INET, .sin_port = htons(endpoint.port)};
    four.sin_addr.s_addr = htonl(endpoint.address.as_v4());
    std::memcpy(&storage, &four, sizeof four);
    size = sizeof four;
  } else {
    sockaddr_in6 six{.sin6_family = AF_INET6, .sin6_port = htons(endpoint.port)};
    std::memcpy(&six.sin6_addr, endpoint.address.bytes.data(), 16);
    std::memcpy(&storage, &six, sizeof six);
    size = sizeof six;
  }
}

}  // namespace atl::egress
