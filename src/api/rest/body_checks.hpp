// Limits on the fields of requests. Each names the field by its JSON pointer. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "api/common/refusal.hpp"

namespace atl::api::rest {

using StringMap = std::map<std::string, std::string>;

// At most so many bytes, and no NUL: no database takes it, nor any program.
Answer<void> check_text(const std::optional<std::string>& text, const std::string& at,
                        std::size_t longest = SIZE_MAX);
Answer<void> check_seconds(const std::optional<std::uint64_t>& seconds, const std::string& at);
// Names of 1 to 256 bytes, values up to `longest`.
Answer<void> check_map(const std::optional<StringMap>& map, const std::string& at,
                       std::size_t longest);
// The same, with names of variables.
Answer<void> check_environment(const std::optional<StringMap>& map, const std::string& at);
// No NUL in any name or string of it.
Answer<void> check_no_nul(const boost::json::value& value, const std::string& at);
// One segment of a JSON pointer.
std::string pointer_segment(std::string_view name);

}  // namespace atl::api::rest
