// Sessions as a table, and times as people say them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace atl::cli {

using WallTime = std::chrono::system_clock::time_point;

// "2026-01-31T12:00:00.250Z"; nullopt for anything else.
std::optional<WallTime> parse_time(std::string_view text);
// 5s, 3m, 2h, 4d: the largest unit, rounded down. Negative times are 0s.
std::string short_time(std::chrono::seconds time);

// `body` is what GET /sessions answers; what it lacks is left out.
std::vector<std::string> session_ids(const boost::json::value& body);
bool has_more_sessions(const boost::json::value& body);
std::string sessions_text(const boost::json::value& body, WallTime now, bool color);

}  // namespace atl::cli
