#include "base/utf8.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace atl {
namespace {

// How many bytes in front are ASCII, which most text is: 32 at a time.
std::size_t ascii_front(std::string_view bytes) {
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  std::array<std::uint64_t, 4> words;
  std::size_t at = 0;
  for (; at + sizeof words <= bytes.size(); at += sizeof words) {
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kHigh) != 0) break;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

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
  for (;;) {
    bytes.remove_prefix(ascii_front(bytes));
    if (bytes.empty()) return true;
    std::size_t size = utf8_character(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (;;) {
    std::size_t plain = ascii_front(bytes);
    text += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) return text;
    std::size_t size = utf8_character(bytes);
    if (size == 0) {
      text += "\xef\xbf\xbd";
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, size);
      bytes.remove_prefix(size);
    }
  }
}

}  // namespace atl
