#include "egress/placeholders.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

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
std::size_t next_placeholder(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const void* found = ::memmem(text.data() + from, text.size() - from, kPlaceholderPrefix.data(),
                                 kPlaceholderPrefix.size());
    if (found == nullptr) return text.npos;
    from = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    if (is_placeholder(text.substr(from, kPlaceholderSize))) return from;
    ++from;
  }
  return text.npos;
}

Replaced replace_in(std::string_view text, const SecretValues& values, std::size_t room) {
  Replaced out;
  std::size_t done = 0;
  for (std::size_t at = next_placeholder(text, 0); at != text.npos;
       at = next_placeholder(text, done)) {
    out.value += text.substr(done, at - done);
    std::string_view placeholder = text.substr(at, kPlaceholderSize);
    auto found = values.find(placeholder);
    bool known = found != values.end() && fits_header(found->second);
    out.value += known ? found->second : placeholder;
    if (!known && !std::exchange(out.left, true)) out.first_left = placeholder;
    out.changed |= known;
    done = at + kPlaceholderSize;
    out.too_large = out.changed && out.value.size() > room;
    if (out.too_large) return out;
  }
  out.value += text.substr(done);
  out.too_large = out.changed && out.value.size() > room;
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

bool is_placeholder(std::string_view text) {
  return text.size() == kPlaceholderSize && text.starts_with(kPlaceholderPrefix) &&
         text.find_first_not_of(kDigits, kPlaceholderPrefix.size()) == text.npos;
}

std::string_view find_placeholder(std::string_view text) {
  std::size_t at = next_placeholder(text, 0);
  return at == text.npos ? std::string_view() : text.substr(at, kPlaceholderSize);
}

std::string PlaceholderFinder::take(std::string_view bytes) {
  constexpr std::size_t kKept = kPlaceholderSize - 1;
  std::string border = tail_ + std::string(bytes.substr(0, kKept));
  std::string found(find_placeholder(border));
  if (found.empty()) found = find_placeholder(bytes);
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kKept));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kKept));
  return found;
}

bool fits_header(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

Replaced replace_placeholders(std::string_view name, std::string_view value,
                              const SecretValues& values, std::size_t room) {
  bool carries_basic =
      same_letters(name, "authorization") || same_letters(name, "proxy-authorization");
  if (carries_basic) {
    if (std::optional<std::string> pair = decode_basic(value)) {
      Replaced inside = replace_in(*pair, values, room / 4 * 3);
      inside.value = inside.changed ? "Basic " + codec::base64(inside.value) : std::string(value);
      return inside;
    }
  }
  return replace_in(value, values, room);
}

}  // namespace atl::egress
