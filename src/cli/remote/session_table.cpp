#include "cli/remote/session_table.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/table.hpp"
#include "client/api.hpp"

namespace atl::cli {
namespace {

using boost::json::value;
using client::text_of;
using std::chrono::seconds;

std::string_view color_of(std::string_view status) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kColors{{
      {"ready", kGreen},
      {"running", kBlue},
      {"creating", kYellow},
      {"paused", kYellow},
      {"failed", kRed},
      {"completed", kFaint},
      {"terminated", kFaint},
  }};
  for (const auto& [name, color] : kColors) {
    if (name == status) return color;
  }
  return {};
}

std::string labels_text(const value& session) {
  std::string text;
  const value* labels = session.as_object().if_contains("labels");
  if (labels == nullptr || !labels->is_object()) return text;
  for (const auto& label : labels->get_object()) {
    if (!text.empty()) text += ' ';
    text += std::string_view(label.key().data(), label.key().size());
    const boost::json::string* said = label.value().if_string();
    if (said != nullptr) text += "=" + std::string(said->data(), said->size());
  }
  return text;
}

boost::json::array rows_of(const value& body) {
  const boost::json::object* fields = body.if_object();
  const value* rows = fields != nullptr ? fields->if_contains("sessions") : nullptr;
  return rows != nullptr && rows->is_array() ? rows->get_array() : boost::json::array();
}

std::string since(const std::string& time, WallTime now) {
  std::optional<WallTime> then = parse_time(time);
  return then ? short_time(std::chrono::floor<seconds>(now - *then)) : "";
}

std::string left(const value& session, WallTime now) {
  bool ended = !text_of(session, "ended_at").empty();
  std::optional<WallTime> end = parse_time(text_of(session, "expires_at"));
  return ended || !end ? "-" : short_time(std::chrono::ceil<seconds>(*end - now));
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

std::vector<std::string> session_ids(const value& body) {
  std::vector<std::string> ids;
  for (const value& session : rows_of(body)) {
    std::string id = text_of(session, "id");
    if (!id.empty()) ids.push_back(std::move(id));
  }
  return ids;
}

bool has_more_sessions(const value& body) { return !text_of(body, "next_cursor").empty(); }

std::string sessions_text(const value& body, WallTime now, bool color) {
  Table table({"ID", "TEMPLATE", "STATUS", "AGE", "LEFT", "LABELS"});
  for (const value& session : rows_of(body)) {
    if (!session.is_object()) continue;
    std::string status = text_of(session, "status");
    table.add({{text_of(session, "id")},
               {text_of(session, "template_id")},
               {status, color_of(status)},
               {since(text_of(session, "created_at"), now)},
               {left(session, now)},
               {labels_text(session)}});
  }
  return table.text(color);
}

}  // namespace atl::cli
