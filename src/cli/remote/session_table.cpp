#include "cli/remote/session_table.hpp"

#include <cstdio>

#include "cli/core/table.hpp"
#include "codec/encode.hpp"

namespace atl::cli {
namespace {

using model::SessionState;
using std::chrono::seconds;

std::string_view color_of(SessionState status) {
  switch (status) {
    case SessionState::kReady: return kGreen;
    case SessionState::kRunning: return kBlue;
    case SessionState::kCreating:
    case SessionState::kPaused: return kYellow;
    case SessionState::kFailed: return kRed;
    case SessionState::kCompleted:
    case SessionState::kTerminated: return kFaint;
  }
  return {};
}

std::string labels_text(const bodies::StringMap& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ' ';
    text += name + "=" + value;
  }
  return text;
}

std::string since(const std::string& time, WallTime now) {
  std::optional<WallTime> then = parse_time(time);
  return then ? short_time(std::chrono::floor<seconds>(now - *then)) : "";
}

std::string left(const bodies::SessionBody& session, WallTime now) {
  std::optional<WallTime> end = parse_time(session.expires_at.value_or(""));
  return session.ended_at || !end ? "-" : short_time(std::chrono::ceil<seconds>(*end - now));
}

}  // namespace

std::optional<WallTime> parse_time(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  std::string whole(text);
  char zone = 0;
  int got = std::sscanf(whole.c_str(), "%4d-%2u-%2uT%2u:%2u:%lf%c", &year, &month, &day, &hour,
                        &minute, &second, &zone);
  std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                   std::chrono::day(day)};
  if (got != 7 || zone != 'Z' || !date.ok() || hour > 23 || minute > 59) return std::nullopt;
  auto millis = std::chrono::milliseconds(static_cast<std::int64_t>(second * 1000));
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         millis;
}

std::string short_time(seconds time) {
  std::int64_t count = std::max<std::int64_t>(time.count(), 0);
  if (count < 60) return std::to_string(count) + "s";
  if (count < 3600) return std::to_string(count / 60) + "m";
  if (count < 86400) return std::to_string(count / 3600) + "h";
  return std::to_string(count / 86400) + "d";
}

std::string sessions_text(std::span<const bodies::SessionBody> sessions, WallTime now, bool color) {
  Table table({"ID", "TEMPLATE", "STATUS", "AGE", "LEFT", "LABELS"});
  for (const bodies::SessionBody& session : sessions) {
    table.add({{session.id},
               {session.template_id},
               {codec::name_of(session.status), color_of(session.status)},
               {since(session.created_at, now)},
               {left(session, now)},
               {labels_text(session.labels)}});
  }
  return table.text(color);
}

}  // namespace atl::cli
