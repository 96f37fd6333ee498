#include "observe/log.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <ctime>

#include "base/clock.hpp"
#include "base/utf8.hpp"

namespace atl::log {

namespace {

constexpr std::size_t kMaxField = 1024;
constexpr std::size_t kMaxLine = 8192;
constexpr std::array<std::string_view, 5> kNames{"debug", "info", "warn", "error", "off"};

std::atomic<Level> current_level{Level::kInfo};

std::function<void(std::string_view)>& sink() {
  static std::function<void(std::string_view)> where;
  return where;
}

void append_escaped(std::string& out, std::string_view character) {
  constexpr std::string_view kHex = "0123456789abcdef";
  auto byte = static_cast<unsigned char>(character.front());
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  // DEL and the C1 controls steer terminals, and people read logs in terminals.
  bool c1 =
      character.size() == 2 && byte == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  if (byte < 0x20 || byte == 0x7f || c1) {
    auto code = c1 ? static_cast<unsigned char>(character[1]) : byte;
    out += "\\u00";
    out += kHex[code >> 4];
    out += kHex[code & 15];
    return;
  }
  out += character;
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t limit = out.size() + kMaxField;
  while (!text.empty()) {
    if (out.size() >= limit) {
      out += "…";
      break;
    }
    std::size_t size = utf8_character(text);
    if (size == 0)
      out += "\xef\xbf\xbd";
    else
      append_escaped(out, text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out += '"';
}

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

struct Append {
  std::string& out;
  void operator()(std::string_view text) const { append_string(out, text); }
  void operator()(bool flag) const { out += flag ? "true" : "false"; }
  void operator()(std::int64_t number) const { append_number(out, number); }
  void operator()(std::uint64_t number) const { append_number(out, number); }
  void operator()(double number) const {
    if (std::isfinite(number))
      append_number(out, number);
    else
      out += "null";
  }
};

void append_time(std::string& out, std::chrono::system_clock::time_point time) {
  std::int64_t since = unix_ms(time);
  std::time_t seconds = static_cast<std::time_t>(since / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text;
  out.append(text.data(), std::strftime(text.data(), text.size(), "%FT%T.", &parts));
  auto milliseconds = std::to_string(since % 1000);
  out.append(3 - milliseconds.size(), '0').append(milliseconds).append("Z");
}

}  // namespace

void set_level(Level level) { current_level.store(level, std::memory_order_relaxed); }
Level level() { return current_level.load(std::memory_order_relaxed); }

bool level_from_name(std::string_view name, Level& level) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name) continue;
    level = static_cast<Level>(i);
    return true;
  }
  return false;
}

void set_sink(std::function<void(std::string_view line)> where) { sink() = std::move(where); }

std::string format(Level level, std::string_view event, std::initializer_list<Field> fields,
                   std::chrono::system_clock::time_point time) {
  std::string line = "{\"timestamp\":\"";
  append_time(line, time);
  line += "\",\"level\":\"";
  line += kNames[static_cast<std::size_t>(level)];
  line += "\",\"service\":\"atoll\",\"event\":";
  append_string(line, event);
  for (const Field& field : fields) {
    // What does not fit is left out as a whole, so that the line stays JSON.
    std::string part = ",";
    append_string(part, field.key);
    part += ':';
    std::visit(Append{part}, field.value);
    if (line.size() + part.size() > kMaxLine) {
      line += ",\"cut\":true";
      break;
    }
    line += part;
  }
  line += "}\n";
  return line;
}

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  std::string line = format(level, event, fields, std::chrono::system_clock::now());
  if (sink()) return sink()(line);
  // A log that cannot be written must not stop the work.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace atl::log
