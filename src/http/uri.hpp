// Percent-encoding and queries. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.hpp"

namespace atl::http {

// nullopt when a % is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);
// Everything but unreserved characters is encoded; '/' stays when `keep_slash`.
std::string percent_encode(std::string_view text, bool keep_slash = false);
// "a=1&b" -> {a,1},{b,}; nullopt when a part cannot be decoded.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);
// Fills target, path and query from a request line's target; false when it is malformed.
bool split_target(std::string_view target, Request& into);
// UTF-8 without NUL.
bool is_clean_text(std::string_view text);

}  // namespace atl::http
