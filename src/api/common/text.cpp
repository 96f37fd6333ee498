#include "api/common/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::api {

namespace {

std::tm utc(model::Time time) {
  std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return parts;
}

std::optional<unsigned> digit(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<unsigned>(letter - 'a') + 10;
  return std::nullopt;
}

}  // namespace

std::string rfc3339(model::Time time) {
  std::tm parts = utc(time);
  auto millis = (time - std::chrono::floor<std::chrono::seconds>(time)).count();
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(millis));
  return text;
}

std::optional<model::Time> from_rfc3339(std::string_view text) {
  auto take = [&](std::size_t digits) -> std::optional<int> {
    if (text.size() < digits) return std::nullopt;
    auto number = to_number(text.substr(0, digits));
    text.remove_prefix(digits);
    return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
  };
  auto skip = [&](std::string_view letters) {
    if (text.empty() || letters.find(text.front()) == letters.npos) return false;
    text.remove_prefix(1);
    return true;
  };
  std::array<int, 6> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    static constexpr std::array<std::string_view, 6> kBefore{"", "-", "-", "Tt ", ":", ":"};
    if (i > 0 && !skip(kBefore[i])) return std::nullopt;
    auto number = take(i == 0 ? 4 : 2);
    if (!number) return std::nullopt;
    parts[i] = *number;
  }
  auto [year, month, day, hour, minute, second] = parts;
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  model::Time time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                     std::chrono::minutes(minute) + std::chrono::seconds(second);
  if (skip(".")) {
    int unit = 100;
    std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return std::nullopt;
    for (char digit : text.substr(0, digits)) {
      time += std::chrono::milliseconds((digit - '0') * unit);
      unit /= 10;
    }
    text.remove_prefix(digits);
  }
  if (skip("Zz")) return text.empty() ? std::optional(time) : std::nullopt;
  int sign = !text.empty() && text.front() == '-' ? -1 : 1;
  if (!skip("+-")) return std::nullopt;
  auto hours = take(2);
  bool colon = skip(":");
  auto minutes = take(2);
  if (!hours || !colon || !minutes || *hours > 23 || *minutes > 59 || !text.empty()) {
    return std::nullopt;
  }
  return time - sign * (std::chrono::hours(*hours) + std::chrono::minutes(*minutes));
}

std::string http_date(model::Time time) {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts = utc(time);
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char letter : bytes) {
    auto byte = static_cast<unsigned char>(letter);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    auto high = digit(text[i]);
    auto low = digit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return number;
}

codec::Nullable<std::string> time_or_null(const std::optional<model::Time>& time) {
  if (!time) return {};
  return rfc3339(*time);
}

boost::json::value parsed_or_null(std::string_view text) {
  if (text.empty()) return nullptr;
  auto value = codec::parse(text, {.max_bytes = text.size() + 1, .max_depth = 128});
  return value ? std::move(*value) : boost::json::value();
}

codec::Nullable<std::string> text_or_null(std::string text) {
  if (text.empty()) return {};
  return text;
}

boost::json::string json_text(std::string_view bytes) {
  if (is_utf8(bytes)) return boost::json::string(bytes.data(), bytes.size());
  std::string text = to_utf8(bytes);
  return boost::json::string(text.data(), text.size());
}

std::size_t incomplete_tail(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // the middle of one
    std::size_t whole = byte >= 0xF0 && byte < 0xF5 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    if (byte >= 0xF5) whole = 1;
    return whole > back ? back : 0;
  }
  return 0;
}

}  // namespace atl::api
