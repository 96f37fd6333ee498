#include "config/checks.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace atl::config {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// The value of a number that is nothing but digits.
std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (!text.empty()) {
    std::string_view label = text.substr(0, text.find('.'));
    bool legal = !label.empty() && label.size() <= 63 && label.front() != '-' &&
                 label.back() != '-' && std::ranges::all_of(label, [](char c) {
                   return is_digit(c) || is_letter(c) || c == '-' || c == '_';
                 });
    if (!legal) return false;
    text.remove_prefix(label.size());
    if (text == ".") return false;
    if (!text.empty()) text.remove_prefix(1);
  }
  return true;
}

bool is_address(int family, std::string_view text) {
  std::uint8_t bytes[sizeof(in6_addr)];
  return ::inet_pton(family, std::string(text).c_str(), bytes) == 1;
}

constexpr std::string_view kControl = "must not hold control characters";

}  // namespace

std::string_view check_plain(std::string_view text) {
  if (text.empty()) return "must not be empty";
  return has_control(text) ? kControl : "";
}

std::string_view check_secret(std::string_view text) { return has_control(text) ? kControl : ""; }

std::string_view check_name(std::string_view text) {
  bool legal = !text.empty() && (is_digit(text[0]) || is_letter(text[0])) &&
               std::ranges::all_of(text, [](char c) {
                 return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.';
               });
  return legal ? "" : "must be a name of letters, digits, '-', '_' and '.'";
}

std::optional<HostPort> split_listen(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::optional<std::uint32_t> port = number(text.substr(colon + 1));
  if (!port || *port > 65535) return {};
  std::string_view host = text.substr(0, colon);
  bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  bool legal = bracketed ? is_address(AF_INET6, host) : is_host_name(host);
  if (!legal) return {};
  return HostPort{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && is_address(AF_INET, host);
}

std::string_view check_listen(std::string_view text) {
  return text.empty() || split_listen(text)
             ? ""
             : "must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080";
}

std::string_view check_http_url(std::string_view text) {
  if (text.empty()) return "";
  constexpr std::string_view kWrong = "must be a URL that begins with http:// or https://";
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return kWrong;
  }
  bool blank = std::ranges::find(rest, ' ') != rest.end();
  return rest.empty() || rest[0] == '/' || blank || has_control(rest) ? kWrong : "";
}

std::string_view check_store_url(std::string_view text) {
  if (text.empty()) return "";
  if (has_control(text)) return kControl;
  bool postgres = text.starts_with("postgresql://") || text.starts_with("postgres://");
  if (postgres || text == "sqlite:") return "";
  return "must be empty, \"sqlite:\" or postgresql://user@host/database";
}

std::string_view check_path(std::string_view text) {
  if (text.empty()) return "must not be empty";
  return has_control(text) ? kControl : "";
}

std::string_view check_optional_path(std::string_view text) {
  return text.empty() ? "" : check_path(text);
}

std::string_view check_absolute_path(std::string_view text) {
  if (text.empty()) return "";
  if (text[0] != '/') return "must be a path that begins with /";
  return check_path(text);
}

std::string_view check_engine(std::string_view text) {
  if (text.empty()) return "";
  if (has_control(text)) return kControl;
  bool socket = text.starts_with("unix:///") && text.size() > 8;
  bool port = text.starts_with("tcp://") && text.rfind(':') > 6 && !text.ends_with(':');
  return socket || port ? "" : "must be empty, unix:///PATH or tcp://HOST:PORT";
}

std::string_view check_inner_path(std::string_view text) {
  constexpr std::string_view kWrong = "must be a relative path without \".\" and \"..\"";
  if (text.empty() || text[0] == '/' || has_control(text)) return kWrong;
  for (std::string_view rest = text;;) {
    std::string_view step = rest.substr(0, rest.find('/'));
    if (step.empty() || step == "." || step == "..") return kWrong;
    if (step.size() == rest.size()) return "";
    rest.remove_prefix(step.size() + 1);
  }
}

std::string_view check_domain(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  return is_host_name(text) ? "" : "must be a domain, such as example.com or *.example.com";
}

std::string_view check_preview_domain(std::string_view text) {
  bool upper = std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
  bool legal = text.empty() || (is_host_name(text) && !upper && !is_address(AF_INET, text));
  return legal ? "" : "must be a domain in lower case, such as preview.example.com";
}

std::string_view check_origin(std::string_view text) {
  constexpr std::string_view kWrong =
      "must be an origin as browsers send it, such as https://app.example.com or "
      "http://localhost:5173";
  std::size_t scheme = text.find("://");
  if (!text.starts_with("https://") && !text.starts_with("http://")) return kWrong;
  std::string_view rest = text.substr(scheme + 3);
  bool upper = std::ranges::any_of(rest, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (upper) return kWrong;
  if (is_host_name(rest) || is_address(AF_INET, rest)) return "";
  if (rest.starts_with('[') && rest.ends_with(']')) {
    return is_address(AF_INET6, rest.substr(1, rest.size() - 2)) ? "" : kWrong;
  }
  std::optional<HostPort> split = split_listen(rest);
  bool legal = split && split->port != 0 &&
               (is_host_name(split->host) || is_address(AF_INET, split->host) ||
                is_address(AF_INET6, split->host));
  return legal ? "" : kWrong;
}

std::string_view check_resolver(std::string_view text) {
  auto is_any = [](std::string_view host) {
    return is_address(AF_INET, host) || is_address(AF_INET6, host);
  };
  if (text.empty() || is_any(text)) return "";
  std::optional<HostPort> split = split_listen(text);
  bool legal = split && split->port != 0 && is_any(split->host);
  return legal ? "" : "must be an address, such as 10.0.0.2, 10.0.0.2:53 or [::1]:53";
}

std::string_view check_upstream(std::string_view text) {
  if (text.empty()) return "";
  constexpr std::string_view kWrong = "must be socks5://HOST:PORT or http://HOST:PORT";
  std::size_t scheme = text.find("://");
  if (!text.starts_with("socks5://") && !text.starts_with("http://")) return kWrong;
  std::string_view rest = text.substr(scheme + 3);
  if (std::size_t at = rest.rfind('@'); at != rest.npos) rest.remove_prefix(at + 1);
  std::optional<HostPort> split = split_listen(rest);
  return split && split->port != 0 && !has_control(text) ? "" : kWrong;
}

std::string_view check_quantity(std::string_view text) {
  constexpr std::string_view kWrong = "must be a quantity, such as 500m, 0.5 or 1Gi";
  auto skip_digits = [&text] {
    std::size_t before = text.size();
    while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
    return before != text.size();
  };
  if (!skip_digits()) return kWrong;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!skip_digits()) return kWrong;
  }
  for (std::string_view unit : {"", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"}) {
    if (text == unit) return "";
  }
  return kWrong;
}

std::string without_password(std::string_view url) {
  std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  std::size_t begin = scheme + 3;
  std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  std::size_t at = url.substr(0, end).rfind('@');
  std::size_t colon = url.find(':', begin);
  std::string shown(url);
  // libpq also takes ?password=…: nothing of the query is shown then.
  std::size_t query = url.find('?');
  if (query != std::string_view::npos && url.find("password", query) != std::string_view::npos) {
    shown = shown.substr(0, query) + "?***";
  }
  if (at != std::string_view::npos && at >= begin && colon < at) {
    shown.replace(colon + 1, at - colon - 1, "***");
  }
  return shown;
}

}  // namespace atl::config
