#include "node/index_address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace atl::node {
namespace {

std::unexpected<Error> no_index_url() {
  return fail(Code::kInvalidValue, "packages.index_url is not a URL of http or https");
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return text;
}

}  // namespace

Result<IndexAddress> index_address(const std::string& url) {
  IndexAddress index;
  std::size_t scheme = url.find("://");
  if (scheme == url.npos) return no_index_url();
  bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return no_index_url();
  std::size_t begin = scheme + 3;
  std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  std::size_t user = url.rfind('@', end);
  if (user != url.npos && user >= begin && user < end) begin = user + 1;
  std::string_view authority = std::string_view(url).substr(begin, end - begin);
  bool is_v6 = authority.starts_with('[');
  std::size_t closing = is_v6 ? authority.find(']') : authority.find(':');
  if (is_v6 && closing == authority.npos) return no_index_url();
  std::size_t host_end = std::min(closing, authority.size());
  index.host = authority.substr(is_v6 ? 1 : 0, host_end - (is_v6 ? 1 : 0));
  std::string_view port = authority.substr(std::min(host_end + (is_v6 ? 1 : 0), authority.size()));
  index.port = tls ? 443 : 80;
  if (!port.empty() && port[0] != ':') return no_index_url();
  if (port.size() > 1) {
    const char* last = port.data() + port.size();
    auto [stop, error] = std::from_chars(port.data() + 1, last, index.port);
    if (error != std::errc() || stop != last || index.port == 0) return no_index_url();
  }
  if (index.host.empty()) return no_index_url();
  index.on_loopback = is_loopback(index.host);
  index.inside = index.on_loopback ? kLoopbackIndex : index.host;
  index.url = url;
  if (index.on_loopback) index.url.replace(begin, host_end + (is_v6 ? 1 : 0), index.inside);
  return index;
}

Result<std::vector<std::string>> look_up_host(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> addresses;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) == 0) {
    std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      std::string text = text_of(*one->ai_addr);
      if (!text.empty()) addresses.push_back(std::move(text));
    }
  }
  if (!addresses.empty()) return addresses;
  return fail(Code::kInvalidValue, "the host of packages.index_url has no address");
}

}  // namespace atl::node
