// What texts in the configuration must look like. Each gives an empty view, or the rest of the
// sentence that begins with the field: "must be ADDRESS:PORT, …".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::config {

using Check = std::string_view (*)(std::string_view text);

std::string_view check_name(std::string_view text);       // a backend, a template, a namespace
std::string_view check_plain(std::string_view text);      // no control characters, not empty
std::string_view check_secret(std::string_view text);     // no control characters
std::string_view check_listen(std::string_view text);     // 127.0.0.1:8080, [::1]:8080, or empty
std::string_view check_http_url(std::string_view text);   // or empty
std::string_view check_store_url(std::string_view text);  // sqlite:, postgresql://…, or empty
std::string_view check_absolute_path(std::string_view text);   // or empty
std::string_view check_path(std::string_view text);            // absolute, ~/… or relative
std::string_view check_optional_path(std::string_view text);   // the same or empty
std::string_view check_engine(std::string_view text);          // unix:///x, tcp://host:1, or empty
std::string_view check_inner_path(std::string_view text);      // relative, without . and ..
std::string_view check_domain(std::string_view text);          // example.com, *.example.com
std::string_view check_preview_domain(std::string_view text);  // preview.example.com, or empty
std::string_view check_origin(std::string_view text);          // https://app.example.com
std::string_view check_resolver(std::string_view text);  // 10.0.0.2, 10.0.0.2:53, [::1]:53, or
                                                         // empty
std::string_view check_upstream(std::string_view text);  // socks5://host:1, http://host:1, or empty
std::string_view check_quantity(std::string_view text);  // 500m, 0.1, 1Gi

struct HostPort {
  std::string host;  // without brackets
  std::uint16_t port = 0;
};
std::optional<HostPort> split_listen(std::string_view text);
bool is_loopback(std::string_view host);

// postgresql://user:***@host/db: what may be shown of a URL.
std::string without_password(std::string_view url);

}  // namespace atl::config
