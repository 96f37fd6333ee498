// Small conversions that every protocol needs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.hpp"

namespace atl::api {

// "2026-01-02T03:04:05.678Z"
std::string rfc3339(model::Time time);
// The same with any offset; digits beyond milliseconds are dropped. nullopt for anything else.
std::optional<model::Time> from_rfc3339(std::string_view text);
// "Fri, 02 Jan 2026 03:04:05 GMT"
std::string http_date(model::Time time);

std::string hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

// Without blanks and tabs at both ends.
std::string_view trim(std::string_view text);
// "a;b" by ';' -> a, b; "" -> "".
std::vector<std::string_view> split(std::string_view text, char separator);

// Digits only, and it fits.
std::optional<std::uint64_t> to_number(std::string_view text);

}  // namespace atl::api
