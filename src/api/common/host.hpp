// The host that a request names, and the web page that sent it. Loopback names, hosts of previews
// and pages of other origins. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace atl::api {

struct HostName {
  std::string name;  // lower case, without brackets and without a trailing dot
  std::string port;  // digits, or empty
};
// The value of a Host field, or what follows the scheme in an Origin. nullopt for anything that is
// neither a name nor an address.
std::optional<HostName> parse_host(std::string_view host);

// localhost, *.localhost, 127.0.0.0/8, ::1.
bool is_loopback_name(std::string_view name);

// `<port>-<session id>.localhost` and `<port>-<session id>.<domain>`.
struct PreviewHost {
  std::string session;
  std::uint16_t port = 0;  // 0: the name looks like a preview and is none
  bool loopback = false;   // below localhost

  bool operator==(const PreviewHost&) const = default;
};
// nullopt: the name is not a preview's. An empty domain: only localhost has previews.
std::optional<PreviewHost> preview_host(std::string_view name, std::string_view domain);
std::string preview_name(std::uint16_t port, std::string_view session, std::string_view domain);
// Ports that belong to another protocol.
bool is_reserved_port(std::uint16_t port);

// Sent by a page of another origin: the browser says so by Origin or, where it sends none (images,
// scripts), by Sec-Fetch-Site. Following a link is no such request. Programs send neither field.
bool is_foreign_page(const http::Request& request);
// The same for a preview, to which pages of the session's other ports are not foreign.
bool is_foreign_page(const http::Request& request, const PreviewHost& preview,
                     std::string_view domain);

}  // namespace atl::api
