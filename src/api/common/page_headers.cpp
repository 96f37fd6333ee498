#include "api/common/page_headers.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "api/common/preview_cookie.hpp"
#include "api/common/proxy_headers.hpp"
#include "api/common/text.hpp"

namespace atl::api {

namespace {

constexpr std::string_view kSandboxed =
    "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts";

// Fields that a browser remembers for the whole origin, or acts on for it.
constexpr std::array<std::string_view, 18> kOfOrigin{"accept-ch",
                                                     "alt-svc",
                                                     "clear-site-data",
                                                     "critical-ch",
                                                     "expect-ct",
                                                     "nel",
                                                     "public-key-pins",
                                                     "public-key-pins-report-only",
                                                     "report-to",
                                                     "reporting-endpoints",
                                                     "sec-session-registration",
                                                     "secure-session-registration",
                                                     "service-worker-allowed",
                                                     "set-cookie",
                                                     "set-cookie2",
                                                     "set-login",
                                                     "strict-transport-security",
                                                     "use-as-dictionary"};
constexpr std::string_view kCors = "access-control-";

// Clear-Site-Data removes the cookies of sibling hosts as well, and the session of a device-bound
// credential may cover the site. Alt-Svc speaks for this server's port.
constexpr std::array<std::string_view, 5> kOfSite{"alt-svc", "clear-site-data",
                                                  "sec-session-registration",
                                                  "secure-session-registration", "set-cookie2"};

bool has_prefix(std::string_view text, std::string_view prefix) {
  return http::same_name(text.substr(0, prefix.size()), prefix);
}

// "." and ".." as browsers read them, percent-encoded dots included.
std::string plain_dots(std::string_view segment) {
  std::string plain;
  while (!segment.empty()) {
    bool encoded = has_prefix(segment, "%2e");
    plain += encoded ? '.' : segment.front();
    segment.remove_prefix(encoded ? 3 : 1);
  }
  return plain;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool folder = false;
  for (std::string_view segment : split(path.substr(1), '/')) {
    std::string plain = plain_dots(segment);
    folder = plain == "." || plain == "..";
    if (plain == ".." && !kept.empty()) kept.pop_back();
    if (!folder) kept.push_back(segment);
  }
  std::string clean;
  for (std::string_view segment : kept) clean.append("/").append(segment);
  if (folder || clean.empty()) clean += '/';
  return clean;
}

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find_first_of("?#"));
}

bool is_inside_host(std::string_view authority, const InsidePlace& place) {
  if (http::same_name(authority, place.outside_host)) return true;
  std::string port = ":" + std::to_string(place.port);
  return std::ranges::any_of(std::array{"localhost", "127.0.0.1", "[::1]", "0.0.0.0"},
                             [&](const char* name) {
                               return http::same_name(authority, name + port) ||
                                      (place.port == 80 && http::same_name(authority, name));
                             });
}

// Path, query and fragment inside; nullopt when the location is elsewhere.
std::optional<std::string> inside_location(std::string_view location, const InsidePlace& place) {
  std::size_t authority = location.starts_with("//")         ? 2
                          : has_prefix(location, "http://")  ? 7
                          : has_prefix(location, "https://") ? 8
                                                             : 0;
  if (authority > 0) {
    location.remove_prefix(authority);
    std::size_t end = std::min(location.find_first_of("/?#"), location.size());
    if (!is_inside_host(location.substr(0, end), place)) return {};
    location.remove_prefix(end);
    return location.starts_with('/') ? std::string(location) : "/" + std::string(location);
  }
  if (location.starts_with('/')) return std::string(location);
  if (path_of(location).find(':') != std::string_view::npos) return {};  // a scheme
  std::string_view base = path_of(place.target);
  if (!location.empty() && location.front() != '?' && location.front() != '#') {
    base = base.substr(0, base.rfind('/') + 1);
  }
  return std::string(base).append(location);
}

}  // namespace

std::optional<std::string> outside_location(std::string_view location, const InsidePlace& place) {
  // Browsers drop tabs and read \ as /.
  bool odd = std::ranges::any_of(location, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '\\';
  });
  if (odd) return {};
  auto inside = inside_location(location, place);
  if (!inside) return {};
  std::string_view rest = *inside;
  std::string path = without_dots(path_of(rest));
  rest.remove_prefix(path_of(rest).size());
  // A server that knows X-Forwarded-Prefix has put it there itself.
  bool known = path.starts_with(place.prefix + "/") || path == place.prefix;
  return (known ? path : place.prefix + path).append(rest);
}

std::optional<std::string> host_cookie(std::string_view set_cookie) {
  std::string kept;
  bool first = true;
  for (std::string_view part : split(set_cookie, ';')) {
    part = trim(part);
    std::string_view name = trim(part.substr(0, part.find('=')));
    if (first && is_preview_cookie(name)) return {};
    if (!first && (part.empty() || http::same_name(name, "domain"))) continue;
    if (!first) kept += "; ";
    kept += part;
    first = false;
  }
  return kept;
}

http::Headers for_api_origin(const http::Headers& inside, const InsidePlace& place, bool upgrade) {
  http::Headers out;
  for (const auto& [name, value] : inside) {
    if (is_among(kOfOrigin, name) || has_prefix(name, kCors)) continue;
    if (!http::same_name(name, "location")) {
      out.add(name, value);
    } else if (auto location = outside_location(value, place)) {
      out.add(name, *location);
    }
  }
  if (!upgrade) out.add("Content-Security-Policy", kSandboxed);
  return out;
}

http::Headers for_own_host(const http::Headers& inside) {
  http::Headers out;
  for (const auto& [name, value] : inside) {
    if (is_among(kOfSite, name)) continue;
    if (!http::same_name(name, "set-cookie")) {
      out.add(name, value);
    } else if (auto cookie = host_cookie(value)) {
      out.add(name, *cookie);
    }
  }
  return out;
}

}  // namespace atl::api
