#include "config/problem.hpp"

#include "base/utf8.hpp"

namespace atl::config {
namespace {

constexpr std::size_t kLongestKey = 80;

std::string shown(const std::string& key) {
  std::string text;
  for (char letter : to_utf8(key)) {
    bool control = static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
    text += control ? '?' : letter;
  }
  if (text.size() <= kLongestKey) return text;
  std::size_t end = kLongestKey;
  while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace

std::string Origin::to_string() const {
  if (kind == Kind::kDefault) return "default";
  return line == 0 ? name : name + ":" + std::to_string(line);
}

std::string Origin::place() const {
  return column == 0 ? to_string() : to_string() + ":" + std::to_string(column);
}

std::string Problem::to_string() const {
  return origin.place() + ": " + (pointer.empty() ? "" : pointer + " ") + detail;
}

std::string pointer_to(const std::string& parent, const std::string& key) {
  std::string text = parent + "/";
  for (char letter : shown(key)) {
    if (letter == '~') {
      text += "~0";
    } else if (letter == '/') {
      text += "~1";
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace atl::config
