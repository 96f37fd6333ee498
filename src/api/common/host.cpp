#include "api/common/host.hpp"

#include <algorithm>
#include <utility>

#include "api/common/text.hpp"
#include "config/checks.hpp"

namespace atl::api {

namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestId = 40;
constexpr std::string_view kLocalhost = "localhost";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_id_letter(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }
bool is_name_letter(char c) { return is_id_letter(c) || c == '-' || c == '_' || c == '.'; }
bool is_address_letter(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || c == ':'; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// What stands before `.suffix`; nullopt when the name is not below it.
std::optional<std::string_view> below(std::string_view name, std::string_view suffix) {
  if (suffix.empty() || name.size() <= suffix.size() + 1 || !name.ends_with(suffix)) return {};
  name.remove_suffix(suffix.size());
  if (name.back() != '.') return {};
  name.remove_suffix(1);
  return name;
}

std::optional<PreviewHost> split_label(std::string_view rest) {
  std::string_view label = rest.substr(rest.rfind('.') + 1);
  std::size_t dash = label.find('-');
  if (dash == 0 || dash == std::string_view::npos) return {};
  std::string_view port = label.substr(0, dash);
  if (!std::ranges::all_of(port, is_digit)) return {};
  PreviewHost host{.session = std::string(label.substr(dash + 1))};
  auto number = to_number(port);
  bool legal = label.size() == rest.size() && number && *number <= 65535 && port.front() != '0' &&
               !host.session.empty() && host.session.size() <= kLongestId &&
               std::ranges::all_of(host.session, is_id_letter);
  host.port = legal ? static_cast<std::uint16_t>(*number) : 0;
  return host;
}

// The Origin's host; "" for null and for anything that is no origin.
std::string_view host_of(std::string_view origin) {
  std::size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

bool is_foreign_fetch(const http::Request& request) {
  std::string_view site = request.headers.get("sec-fetch-site");
  bool other = http::same_name(site, "cross-site") || http::same_name(site, "same-site");
  return other && !http::same_name(request.headers.get("sec-fetch-mode"), "navigate");
}

}  // namespace

std::optional<HostName> parse_host(std::string_view host) {
  HostName parsed;
  std::string text = lower(host);
  std::string_view rest = text;
  bool bracketed = rest.starts_with('[');
  std::size_t end = std::min(bracketed ? rest.find(']') : rest.find(':'), rest.size());
  if (bracketed && end == rest.size()) return {};
  std::string_view name = bracketed ? rest.substr(1, end - 1) : rest.substr(0, end);
  rest.remove_prefix(bracketed ? end + 1 : end);
  if (!rest.empty()) {
    if (rest.front() != ':' || rest.size() > 6) return {};
    parsed.port = rest.substr(1);
    if (!std::ranges::all_of(parsed.port, is_digit)) return {};
  }
  if (!bracketed && name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > kLongestName) return {};
  if (!std::ranges::all_of(name, bracketed ? is_address_letter : is_name_letter)) return {};
  parsed.name = name;
  return parsed;
}

bool is_loopback_name(std::string_view name) {
  return config::is_loopback(name) || below(name, kLocalhost);
}

std::optional<PreviewHost> preview_host(std::string_view name, std::string_view domain) {
  if (auto rest = below(name, kLocalhost)) {
    auto host = split_label(*rest);
    if (host) host->loopback = true;
    return host;
  }
  auto rest = below(name, domain);
  return rest ? split_label(*rest) : std::nullopt;
}

std::string preview_name(std::uint16_t port, std::string_view session, std::string_view domain) {
  std::string name = std::to_string(port) + "-" + std::string(session) + ".";
  return name.append(domain.empty() ? kLocalhost : domain);
}

bool is_reserved_port(std::uint16_t port) { return port == 49983 || port == 49999; }

bool is_foreign_page(const http::Request& request) {
  auto origin = request.headers.find("origin");
  if (!origin) return is_foreign_fetch(request);
  return request.headers.count("origin") > 1 ||
         !http::same_name(host_of(*origin), request.headers.get("host"));
}

bool is_foreign_page(const http::Request& request, const PreviewHost& preview,
                     std::string_view domain) {
  if (!is_foreign_page(request)) return false;
  if (request.headers.count("origin") != 1) return true;
  auto origin = parse_host(host_of(request.headers.get("origin")));
  auto other = origin ? preview_host(origin->name, domain) : std::nullopt;
  return !other || other->port == 0 || other->session != preview.session ||
         other->loopback != preview.loopback;
}

}  // namespace atl::api
