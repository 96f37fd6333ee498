// Request ids and W3C trace context. Pure, but for the randomness of new ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::api {

// What a client may give as X-Request-Id: 1 to 128 of [A-Za-z0-9._-].
bool is_request_id(std::string_view text);

// The trace id of a traceparent, 32 hex digits; nullopt when it is malformed.
std::optional<std::string> trace_id_of(std::string_view traceparent);
// 32 random hex digits.
std::string make_trace_id();

}  // namespace atl::api
