// The token that lets a browser into a preview: in the link that opens it, then in a cookie of the
// preview's host. Neither reaches the sandbox. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"

namespace atl::api {

inline constexpr std::string_view kTokenParameter = "atoll_token";

// TLS here, or at the reverse proxy that says so. A client that lies weakens only its own cookie.
bool is_https(const http::Request& request);

// Value of Set-Cookie: for this host alone, and no script reads it.
std::string preview_cookie(std::string_view token, bool https);
// Tokens in the request, at most 64: without TLS, pages of sibling hosts can add cookies of this
// name, and must not lock anybody out.
std::vector<std::string> preview_tokens(const http::Request& request);
bool is_preview_cookie(std::string_view name);
// A Cookie field's value without ours; empty when nothing is left.
std::string without_preview_cookies(std::string_view cookies);

// Path and query without the token.
std::string target_without_token(const http::Request& request);

}  // namespace atl::api
