#include "base/utf8.hpp"

namespace atl {

std::size_t utf8_character(std::string_view bytes) {
  if (bytes.empty()) return 0;
  auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned char first = at(0);
  if (first < 0x80) return 1;
  std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  bool overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
  bool surrogate = first == 0xed && at(1) >= 0xa0;
  bool beyond = first == 0xf4 && at(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : size;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t size = utf8_character(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    std::size_t size = utf8_character(bytes);
    if (size == 0) {
      text += "\xef\xbf\xbd";
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, size);
      bytes.remove_prefix(size);
    }
  }
  return text;
}

}  // namespace atl
