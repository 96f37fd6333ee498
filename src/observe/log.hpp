// Logging: a fixed event name and typed fields, one JSON object a line, on stderr.
//
//   log::info("sandbox_created", log::kv("sandbox_id", id.str()), log::kv("ms", 12));
//
// Never environment values, tokens or program output. Any thread; a line is one write, so lines of
// several threads do not mix. Fields and lines are bounded.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace atl::log {

enum class Level : std::uint8_t { kDebug, kInfo, kWarn, kError, kOff };

struct Field {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool> value;
};

// The text is looked at during the call only.
inline Field kv(std::string_view key, std::string_view value) { return {key, value}; }
inline Field kv(std::string_view key, const char* value) { return {key, std::string_view(value)}; }
inline Field kv(std::string_view key, const std::string& value) {
  return {key, std::string_view(value)};
}
inline Field kv(std::string_view key, bool value) { return {key, value}; }
inline Field kv(std::string_view key, double value) { return {key, value}; }
template <std::signed_integral T>
Field kv(std::string_view key, T value) {
  return {key, static_cast<std::int64_t>(value)};
}
template <std::unsigned_integral T>
Field kv(std::string_view key, T value) {
  return {key, static_cast<std::uint64_t>(value)};
}

void set_level(Level level);
Level level();
bool level_from_name(std::string_view name, Level& level);
// For tests; nullptr brings stderr back. Set before threads start.
void set_sink(std::function<void(std::string_view line)> sink);

void write(Level level, std::string_view event, std::initializer_list<Field> fields);

template <typename... Fields>
void debug(std::string_view event, const Fields&... fields) {
  if (level() <= Level::kDebug) write(Level::kDebug, event, {fields...});
}
template <typename... Fields>
void info(std::string_view event, const Fields&... fields) {
  if (level() <= Level::kInfo) write(Level::kInfo, event, {fields...});
}
template <typename... Fields>
void warn(std::string_view event, const Fields&... fields) {
  if (level() <= Level::kWarn) write(Level::kWarn, event, {fields...});
}
template <typename... Fields>
void error(std::string_view event, const Fields&... fields) {
  if (level() <= Level::kError) write(Level::kError, event, {fields...});
}

// {"timestamp":"2026-01-02T03:04:05.678Z","level":"info","service":"atoll","event":…} and a
// newline.
std::string format(Level level, std::string_view event, std::initializer_list<Field> fields,
                   std::chrono::system_clock::time_point time);

}  // namespace atl::log
