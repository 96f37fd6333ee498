// Sessions as a table, and times as people say them.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bodies/session.hpp"

namespace atl::cli {

using WallTime = std::chrono::system_clock::time_point;

// "2026-01-31T12:00:00.250Z"; nullopt for anything else.
std::optional<WallTime> parse_time(std::string_view text);
// 5s, 3m, 2h, 4d: the largest unit, rounded down. Negative times are 0s.
std::string short_time(std::chrono::seconds time);

std::string sessions_text(std::span<const bodies::SessionBody> sessions, WallTime now, bool color);

}  // namespace atl::cli
