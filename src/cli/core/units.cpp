#include "cli/core/units.hpp"

#include <array>
#include <limits>

namespace atl::cli {
namespace {

using Wide = unsigned __int128;

std::unexpected<Error> bad(const char* sentence) { return fail(Code::kInvalidArgument, sentence); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A decimal number in front of `text`, in millionths; cuts it off. Up to 15 + 6 digits.
Result<Wide> take_number(std::string_view& text) {
  if (text.starts_with('-')) return bad("must not be negative");
  Wide millionths = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (i == 20) return bad("is too large");
    millionths = millionths * 10 + static_cast<unsigned>(text[i] - '0');
  }
  bool any = i > 0;
  millionths *= 1'000'000;
  if (i < text.size() && text[i] == '.') {
    unsigned weight = 100'000;
    for (++i; i < text.size() && is_digit(text[i]); ++i, weight /= 10) {
      any = true;
      millionths += Wide(weight) * static_cast<unsigned>(text[i] - '0');
    }
  }
  if (!any) return bad("is not a number");
  text.remove_prefix(i);
  return millionths;
}

Result<std::uint64_t> scaled(Wide millionths, std::uint64_t unit) {
  Wide value = millionths * unit / 1'000'000;
  if (value > std::numeric_limits<std::uint64_t>::max()) return bad("is too large");
  return static_cast<std::uint64_t>(value);
}

// "m", "mb", "MiB" -> 'm'; 'b' for bytes; 0 for anything else.
char size_unit(std::string_view text) {
  if (text.empty()) return 'b';
  char unit = lower(text[0]);
  std::string_view tail = text.substr(1);
  bool tail_fits = tail.empty() || (tail.size() == 1 && lower(tail[0]) == 'b') ||
                   (tail.size() == 2 && lower(tail[0]) == 'i' && lower(tail[1]) == 'b');
  return tail_fits && (unit != 'b' || tail.empty()) ? unit : '\0';
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  ATOLL_TRY(Wide number, take_number(text));
  switch (size_unit(text)) {
    case 'b': return scaled(number, 1);
    case 'k': return scaled(number, 1ull << 10);
    case 'm': return scaled(number, 1ull << 20);
    case 'g': return scaled(number, 1ull << 30);
    case 't': return scaled(number, 1ull << 40);
    default: return bad("is not a size; write it as 512k, 256m or 1.5g");
  }
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr const char* kHow = "is not a time; write it as 500ms, 10s, 2m or 1h30m";
  constexpr std::uint64_t kMax = 1ull << 50;
  std::uint64_t total = 0;
  do {
    ATOLL_TRY(Wide number, take_number(text));
    std::size_t end = 0;
    while (end < text.size() && !is_digit(text[end]) && text[end] != '.') ++end;
    std::string_view name = text.substr(0, end);
    text.remove_prefix(end);
    std::uint64_t unit = 0;
    if (name == "ms") unit = 1;
    if (name == "s" || (name.empty() && total == 0)) unit = 1000;
    if (name == "m" || name == "min") unit = 60'000;
    if (name == "h") unit = 3'600'000;
    if (name == "d") unit = 86'400'000;
    if (unit == 0) return bad(kHow);
    ATOLL_TRY(std::uint64_t part, scaled(number, unit));
    if (part == 0 && number != 0) return bad("is shorter than a millisecond");
    total += part;
    if (part > kMax || total > kMax) return bad("is too large");
  } while (!text.empty());
  return std::chrono::milliseconds(total);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  ATOLL_TRY(Wide number, take_number(text));
  if (!text.empty() || number % 1'000'000 != 0) return bad("is not a whole number");
  return scaled(number, 1);
}

Result<std::uint64_t> parse_milli(std::string_view text) {
  ATOLL_TRY(Wide number, take_number(text));
  if (!text.empty()) return bad("is not a number; write it as 0.5 or 2");
  return scaled(number, 1000);
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<char, 5> kUnits{'b', 'k', 'm', 'g', 't'};
  std::size_t unit = 0;
  std::uint64_t whole = bytes;
  std::uint64_t tenths = 0;
  while (whole >= 1024 && unit + 1 < kUnits.size()) {
    tenths = whole % 1024 * 10 / 1024;
    whole /= 1024;
    ++unit;
  }
  std::string text = std::to_string(whole);
  if (tenths != 0) text += '.' + std::to_string(tenths);
  return text + kUnits[unit];
}

std::string format_milli(std::uint64_t thousandths) {
  std::string text = std::to_string(thousandths / 1000);
  std::uint64_t rest = thousandths % 1000;
  if (rest == 0) return text;
  std::string decimals = std::to_string(1000 + rest).substr(1);
  while (decimals.back() == '0') decimals.pop_back();
  return text + '.' + decimals;
}

}  // namespace atl::cli
