// Errors as RFC 9457 problem documents, and the one table from Code to HTTP status.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "http/message.hpp"

namespace atl::http {

int status_of(Code code);

// {"type","title","status","code","detail","request_id","at"}; `at` is a JSON pointer into the
// request, `request_id` is left out when empty; `quota` names
// the one that is used up. 429 and 503 carry Retry-After, 1 where the error does not say.
Response problem(const Error& error, std::string_view request_id = {},
                 std::optional<std::string_view> at = std::nullopt);
// The same with a status of its own, for what has no Code: 405, 408, 415, …
Response problem(int status, std::string_view code, std::string_view detail,
                 std::string_view request_id = {});

// The other way, for clients: what a refusal says. A code of our own keeps its Code, another one
// stands in front of the sentence; a body that is no problem document gives the status instead.
Error error_from(int status, std::string_view body);

}  // namespace atl::http
