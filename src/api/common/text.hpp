// Small conversions that every protocol needs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "codec/nullable.hpp"
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

// How many bytes at the end begin a character that is not complete: 0 to 3.
std::size_t incomplete_tail(std::string_view bytes);

// Without blanks and tabs at both ends.
std::string_view trim(std::string_view text);
// "a;b" by ';' -> a, b; "" -> "".
std::vector<std::string_view> split(std::string_view text, char separator);

// Digits only, and it fits.
std::optional<std::uint64_t> to_number(std::string_view text);

// For members of answers.
codec::Nullable<std::string> text_or_null(std::string text);  // null when it is empty
codec::Nullable<std::string> time_or_null(const std::optional<model::Time>& time);
boost::json::value parsed_or_null(std::string_view text);  // null also for what is no JSON
boost::json::string json_text(std::string_view bytes);     // U+FFFD for what is no UTF-8

}  // namespace atl::api
