#include "sandbox/glob.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/utf8.hpp"

namespace atl::sandbox {

namespace {

// Characters compare byte by byte, which for UTF-8 is the order of the code points.
std::string_view take(std::string_view& text) {
  std::string_view character = text.substr(0, std::max<std::size_t>(1, utf8_character(text)));
  text.remove_prefix(character.size());
  return character;
}

// `pattern` is behind the '['. Whether `name` is in the set; nullopt when the bracket is never
// closed and so is an ordinary character.
std::optional<bool> in_bracket(std::string_view& pattern, std::string_view name) {
  std::string_view rest = pattern;
  bool negated = !rest.empty() && (rest.front() == '!' || rest.front() == '^');
  if (negated) rest.remove_prefix(1);
  bool found = false;
  for (bool first = true; !rest.empty(); first = false) {
    if (rest.front() == ']' && !first) {
      pattern = rest.substr(1);
      return found != negated;
    }
    if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
    std::string_view low = take(rest);
    std::string_view high = low;
    if (rest.size() >= 2 && rest[0] == '-' && rest[1] != ']') {
      rest.remove_prefix(1);
      high = take(rest);
    }
    found = found || (low <= name && name <= high);
  }
  return std::nullopt;
}

// Whether the first element of the pattern, which is no star, takes the first character of the
// name.
bool match_one(std::string_view& pattern, std::string_view& name) {
  std::string_view character = take(name);
  if (pattern.front() == '?') {
    pattern.remove_prefix(1);
    return true;
  }
  if (pattern.front() == '[') {
    std::string_view rest = pattern.substr(1);
    if (std::optional<bool> inside = in_bracket(rest, character)) {
      pattern = rest;
      return *inside;
    }
  }
  if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  return take(pattern) == character;
}

}  // namespace

bool is_glob(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[')
      return true;
  }
  return false;
}

std::string unescaped(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    text += pattern[i];
  }
  return text;
}

bool glob_match(std::string_view pattern, std::string_view name) {
  // After a mismatch only the last star can take one character more, so this is never exponential.
  std::optional<std::string_view> star;
  std::string_view star_name;
  for (;;) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star = pattern;
      star_name = name;
      continue;
    }
    if (name.empty()) return pattern.empty();
    if (!pattern.empty() && match_one(pattern, name)) continue;
    if (!star || star_name.empty()) return false;
    take(star_name);
    pattern = *star;
    name = star_name;
  }
}

}  // namespace atl::sandbox
