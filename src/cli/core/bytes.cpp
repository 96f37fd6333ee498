#include "cli/core/bytes.hpp"

#include <cstddef>
#include <cstdint>

namespace atl::cli {
namespace {

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

}  // namespace atl::cli
