#include "cli/core/bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace atl::cli {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct Piece {
  std::size_t length;
  bool valid;
};

bool in(unsigned char c, unsigned low, unsigned high) { return c >= low && c <= high; }

// The character, or the broken start of one, at the front of non-empty `bytes`.
Piece take(std::string_view bytes) {
  auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned char lead = at(0);
  if (lead < 0x80) return {1, true};
  std::size_t need = in(lead, 0xc2, 0xdf)   ? 2
                     : in(lead, 0xe0, 0xef) ? 3
                     : in(lead, 0xf0, 0xf4) ? 4
                                            : 0;
  if (need == 0) return {1, false};
  unsigned low = lead == 0xe0 ? 0xa0u : lead == 0xf0 ? 0x90u : 0x80u;
  unsigned high = lead == 0xed ? 0x9fu : lead == 0xf4 ? 0x8fu : 0xbfu;
  for (std::size_t i = 1; i < need; ++i) {
    bool fits = i < bytes.size() && (i == 1 ? in(at(i), low, high) : in(at(i), 0x80, 0xbf));
    if (!fits) return {i, false};
  }
  return {need, true};
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    Piece piece = take(bytes);
    if (!piece.valid) return false;
    bytes.remove_prefix(piece.length);
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    Piece piece = take(bytes);
    text += piece.valid ? bytes.substr(0, piece.length) : std::string_view("\xef\xbf\xbd");
    bytes.remove_prefix(piece.length);
  }
  return text;
}

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      unsigned char byte = i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0;
      group = group << 8 | byte;
    }
    for (std::size_t j = 0; j < 4; ++j) {
      bool padding = i + j > bytes.size();
      text += padding ? '=' : kAlphabet[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int have = 0;  // characters of the group
  int padding = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r') continue;
    std::size_t value = kAlphabet.find(c);
    if (c == '=') ++padding;
    if (c == '=' ? padding > 2 : padding > 0 || value == std::string_view::npos) {
      return std::nullopt;
    }
    group = group << 6 | (c == '=' ? 0 : static_cast<std::uint32_t>(value));
    if (++have < 4) continue;
    for (int i = 0; i < 3 - padding; ++i) bytes += static_cast<char>(group >> (16 - 8 * i) & 255);
    have = 0;
  }
  if (have != 0) return std::nullopt;
  return bytes;
}

}  // namespace atl::cli
