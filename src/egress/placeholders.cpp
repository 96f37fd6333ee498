#include "egress/placeholders.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "codec/base64.hpp"

namespace atl::egress {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

bool same_letters(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  });
}

// Where the next placeholder begins; npos: there is none.
std::size_t find_placeholder(std::string_view text, std::size_t from) {
  for (;; ++from) {
    from = text.find(kPlaceholderPrefix, from);
    if (from == text.npos || text.size() - from < kPlaceholderSize) return text.npos;
    std::string_view digits = text.substr(from, kPlaceholderSize).substr(kPlaceholderPrefix.size());
    if (digits.find_first_not_of(kDigits) == digits.npos) return from;
  }
}

Replaced replace_in(std::string_view text, const SecretValues& values) {
  Replaced out;
  std::size_t done = 0;
  for (std::size_t at = find_placeholder(text, 0); at != text.npos;
       at = find_placeholder(text, done)) {
    out.value += text.substr(done, at - done);
    std::string_view placeholder = text.substr(at, kPlaceholderSize);
    auto found = values.find(placeholder);
    bool known = found != values.end() && fits_header(found->second);
    out.value += known ? std::string_view(found->second) : placeholder;
    (known ? out.changed : out.left) = true;
    done = at + kPlaceholderSize;
  }
  out.value += text.substr(done);
  return out;
}

// "Basic dXNlcjpw" → "user:p".
std::optional<std::string> decode_basic(std::string_view value) {
  constexpr std::size_t kScheme = 6;
  if (value.size() < kScheme || !same_letters(value.substr(0, kScheme), "basic ")) {
    return std::nullopt;
  }
  value.remove_prefix(std::min(value.find_first_not_of(' ', kScheme), value.size()));
  return codec::from_base64(value);
}

}  // namespace

std::string new_placeholder() {
  std::array<unsigned char, 16> bytes;
  // Without random numbers nothing can be kept secret, and OpenSSL says so only when it is broken.
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) std::abort();
  std::string text(kPlaceholderPrefix);
  for (unsigned char byte : bytes) (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  return text;
}

bool fits_header(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

Replaced replace_placeholders(std::string_view name, std::string_view value,
                              const SecretValues& values) {
  bool carries_basic =
      same_letters(name, "authorization") || same_letters(name, "proxy-authorization");
  if (carries_basic) {
    if (std::optional<std::string> pair = decode_basic(value)) {
      Replaced inside = replace_in(*pair, values);
      inside.value = inside.changed ? "Basic " + codec::base64(inside.value) : std::string(value);
      return inside;
    }
  }
  return replace_in(value, values);
}

}  // namespace atl::egress
