#include "base/ids.hpp"

#include <sys/random.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/clock.hpp"

namespace atl {

namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t kTimeDigits = 10;

}  // namespace

std::string first_id_at(std::uint64_t milliseconds) {
  std::string id(26, '0');
  for (std::size_t i = kTimeDigits; i-- > 0; milliseconds >>= 5) {
    id[i] = kAlphabet[milliseconds & 31];
  }
  return id;
}

std::uint64_t id_milliseconds(std::string_view id) {
  std::uint64_t milliseconds = 0;
  for (char digit : id.substr(0, kTimeDigits)) {
    milliseconds = milliseconds << 5 | (kAlphabet.find(digit) & 31);
  }
  return milliseconds;
}

std::string make_sortable_id() {
  static std::mutex mutex;
  static std::uint64_t last_ms = 0;
  static std::array<std::uint8_t, 16> digits{};  // base 32, most significant first

  std::scoped_lock lock(mutex);
  auto ms = static_cast<std::uint64_t>(unix_ms(std::chrono::system_clock::now()));
  if (ms > last_ms) {
    last_ms = ms;
    if (::getrandom(digits.data(), digits.size(), 0) != static_cast<ssize_t>(digits.size())) {
      __builtin_trap();  // the kernel promises up to 256 bytes without interruption
    }
    for (std::uint8_t& digit : digits) digit &= 31;
  } else {
    // The same millisecond, or a clock that went back: count on, so that order holds.
    for (std::size_t i = digits.size(); i-- > 0;) {
      if (++digits[i] < 32) break;
      digits[i] = 0;
    }
  }
  std::string id = first_id_at(last_ms);
  for (std::size_t i = 0; i < digits.size(); ++i) id[kTimeDigits + i] = kAlphabet[digits[i]];
  return id;
}

}  // namespace atl
