// Which fields of a request and of its answer go through the proxy. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace atl::api {

// Whether a field is one of these.
bool is_among(std::span<const std::string_view> names, std::string_view name);
// Wants another protocol on this connection.
bool is_upgrade(const http::Headers& headers);
// For the server inside: without those of this connection, without the key that let the request
// in, with X-Forwarded-*. `prefix` is the part of the path that is not passed on, if there is one.
http::Headers request_headers(const http::Request& request, const std::string& prefix);
// For the client: without those of the connection inside.
http::Headers answer_headers(const http::Headers& inside, bool upgrade);
// The path and query as the server inside sees them.
std::string inside_target(const http::Request& request);

}  // namespace atl::api
