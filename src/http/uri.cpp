#include "http/uri.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace atl::http {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] == '%') {
      if (text.size() - i < 3) return std::nullopt;
      int high = hex_digit(text[i + 1]);
      int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string percent_encode(std::string_view text, bool keep_slash) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (is_unreserved(c) || (c == '/' && keep_slash)) {
      out += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    }
  }
  return out;
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(
    std::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!query.empty()) {
    std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    std::size_t equals = std::min(part.find('='), part.size());
    auto name = percent_decode(part.substr(0, equals), true);
    auto value = percent_decode(part.substr(std::min(part.size(), equals + 1)), true);
    if (!name || !value) return std::nullopt;
    out.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

bool split_target(std::string_view target, Request& into) {
  into.target = target;
  into.query.clear();
  if (!target.starts_with('/') && target != "*") {
    // The absolute form, as proxies send it: the Host field says the same.
    std::size_t scheme = target.find("://");
    if (scheme == std::string_view::npos) return false;
    target.remove_prefix(std::min(target.find_first_of("/?", scheme + 3), target.size()));
  }
  if (target.find('#') != std::string_view::npos) return false;
  std::size_t mark = std::min(target.find('?'), target.size());
  into.path = target.substr(0, mark);
  if (into.path.empty()) into.path = "/";
  if (mark == target.size()) return true;
  auto query = parse_query(target.substr(mark + 1));
  if (query) into.query = std::move(*query);
  return query.has_value();
}

bool is_clean_text(std::string_view text) {
  return text.find('\0') == std::string_view::npos && is_utf8(text);
}

}  // namespace atl::http
