#include "egress/host_name.hpp"

namespace atl::egress {

namespace {

constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;

// Not tolower(): it depends on the locale.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool may_be_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

std::optional<std::string> canonical_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMaxName) return std::nullopt;
  std::string name;
  name.reserve(text.size());
  std::size_t label = 0;
  for (char c : text) {
    c = lower(c);
    if (c == '.') {
      if (label == 0) return std::nullopt;
      label = 0;
    } else if (!may_be_in_name(c) || ++label > kMaxLabel) {
      return std::nullopt;
    }
    name += c;
  }
  if (label == 0) return std::nullopt;
  return name;
}

std::optional<std::string> canonical_pattern(std::string_view text) {
  if (text == "*") return "*";
  bool below = text.starts_with("*.");
  std::optional<std::string> name = canonical_name(below ? text.substr(2) : text);
  if (name && below) name->insert(0, "*.");
  return name;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern == "*") return true;
  if (!pattern.starts_with("*.")) return pattern == name;
  std::string_view end = pattern.substr(1);  // with its dot
  return name.size() > end.size() && name.ends_with(end);
}

}  // namespace atl::egress
