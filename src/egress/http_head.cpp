#include "egress/http_head.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "egress/host_name.hpp"

namespace atl::egress {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != kMarks.npos;
  });
}

bool is_value(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f; });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "example.org" or "example.org:8080".
bool is_authority(std::string_view text, std::string_view name, std::uint16_t port) {
  if (std::size_t colon = text.rfind(':'); colon != text.npos) {
    std::string_view digits = text.substr(colon + 1);
    unsigned number = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    bool same = error == std::errc() && end == digits.data() + digits.size() && number == port;
    if (!same || digits.size() > 5) return false;
    text = text.substr(0, colon);
  }
  return canonical_name(text) == name;
}

bool read_request_line(std::string_view line, HttpHead& head) {
  std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last) return false;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  std::string_view version = line.substr(last + 1);
  head.is_1_1 = version == "HTTP/1.1";
  bool visible = std::ranges::all_of(head.target, [](char c) { return c > ' ' && c < 0x7f; });
  return is_token(head.method) && !head.target.empty() && visible &&
         (head.is_1_1 || version == "HTTP/1.0");
}

}  // namespace

bool equal_ignoring_case(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) { return lower(a) == lower(b); });
}

const std::string* HttpHead::find(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (equal_ignoring_case(key, name)) return &value;
  }
  return nullptr;
}

std::size_t HttpHead::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      fields, [&](const auto& field) { return equal_ignoring_case(field.first, name); }));
}

void HttpHead::remove(std::string_view name) {
  std::erase_if(fields, [&](const auto& field) { return equal_ignoring_case(field.first, name); });
}

std::string HttpHead::to_string() const {
  std::string text = method + " " + target + (is_1_1 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
  for (const auto& [name, value] : fields) {
    for (std::string_view part :
         {std::string_view(name), std::string_view(": "), std::string_view(value), kLineEnd}) {
      text += part;
    }
  }
  return text + "\r\n";
}

std::size_t end_of_head(std::string_view bytes) {
  std::size_t end = bytes.find("\r\n\r\n");
  return end == bytes.npos ? end : end + 4;
}

std::optional<std::pair<std::string, std::string>> parse_field(std::string_view line) {
  std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) return std::nullopt;
  std::string_view value = trim(line.substr(colon + 1));
  if (!is_value(value)) return std::nullopt;
  return std::pair(std::string(line.substr(0, colon)), std::string(value));
}

std::optional<HttpHead> parse_head(std::string_view bytes) {
  HttpHead head;
  bool first = true;
  while (true) {
    std::size_t end = bytes.find(kLineEnd);
    if (end == bytes.npos) return std::nullopt;
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + kLineEnd.size());
    if (line.empty()) break;
    if (std::exchange(first, false)) {
      if (!read_request_line(line, head)) return std::nullopt;
      continue;
    }
    auto field = parse_field(line);
    if (!field) return std::nullopt;
    head.fields.push_back(std::move(*field));
  }
  if (first || !bytes.empty()) return std::nullopt;
  return head;
}

std::optional<HttpBody> body_of(const HttpHead& head) {
  std::size_t lengths = head.count("content-length"), codings = head.count("transfer-encoding");
  if (lengths + codings > 1) return std::nullopt;
  if (codings == 1) {
    bool chunked = equal_ignoring_case(*head.find("transfer-encoding"), "chunked");
    if (!chunked || !head.is_1_1) return std::nullopt;
    return HttpBody{.chunked = true};
  }
  if (lengths == 0) return HttpBody{};
  std::string_view digits = *head.find("content-length");
  HttpBody body;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), body.length);
  bool plain =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!plain || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return body;
}

bool is_for(const HttpHead& head, std::string_view scheme, std::string_view name,
            std::uint16_t port) {
  if (head.count("host") != 1 || !is_authority(*head.find("host"), name, port)) return false;
  std::string_view target = head.target;
  if (target.starts_with('/') || target == "*") return true;
  std::string start = std::string(scheme) + "://";
  if (!equal_ignoring_case(target.substr(0, start.size()), start)) return false;
  target.remove_prefix(start.size());
  return is_authority(target.substr(0, target.find_first_of("/?#")), name, port);
}

bool remove_hop_by_hop(HttpHead& head) {
  constexpr auto kStays = std::to_array<std::string_view>({"close", "keep-alive", "upgrade"});
  constexpr auto kNever =
      std::to_array<std::string_view>({"content-length", "expect", "host", "transfer-encoding"});
  auto is_in = [](const auto& list, std::string_view word) {
    return std::ranges::any_of(
        list, [&](std::string_view one) { return equal_ignoring_case(one, word); });
  };
  std::vector<std::string> named;
  for (auto& [key, value] : head.fields) {
    if (!equal_ignoring_case(key, "connection")) continue;
    std::string stays;
    for (std::string_view rest = value; !rest.empty();) {
      std::size_t comma = std::min(rest.find(','), rest.size());
      std::string_view word = trim(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      if (is_in(kNever, word)) return false;
      if (is_in(kStays, word)) {
        (stays += stays.empty() ? "" : ", ") += word;
      } else if (!word.empty()) {
        named.emplace_back(word);
      }
    }
    value = std::move(stays);
  }
  std::erase_if(head.fields, [&](const auto& field) {
    bool empty = equal_ignoring_case(field.first, "connection") && field.second.empty();
    return empty || equal_ignoring_case(field.first, "proxy-connection") ||
           is_in(named, field.first);
  });
  return true;
}

std::string host_of(const HttpHead& head) {
  const std::string* host = head.find("host");
  if (host == nullptr) return {};
  return canonical_name(std::string_view(*host).substr(0, host->find(':'))).value_or("");
}

}  // namespace atl::egress
