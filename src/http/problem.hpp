// Errors as RFC 9457 problem documents, and the one table from Code to HTTP status.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "http/message.hpp"

namespace atl::http {

int status_of(Code code);

// {"type","title","status","code","detail","request_id","at"}; `at` is a JSON pointer into the
// request, `request_id` is left out when empty. 429 and 503 carry Retry-After: 1.
Response problem(const Error& error, std::string_view request_id = {},
                 std::optional<std::string_view> at = std::nullopt);
// The same with a status of its own, for what has no Code: 405, 408, 415, …
Response problem(int status, std::string_view code, std::string_view detail,
                 std::string_view request_id = {});

}  // namespace atl::http
