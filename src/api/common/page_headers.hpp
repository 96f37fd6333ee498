// What the answer of a server inside a sandbox may tell a browser. The sandbox's code is hostile,
// and some fields speak for a whole origin, or for the whole site. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace atl::api {

// Where the server inside is seen from outside.
struct InsidePlace {
  std::string prefix;        // of its paths outside, without a slash at the end
  std::string target;        // of the request, as it is inside
  std::string outside_host;  // Host of the request
  std::uint16_t port = 0;
};

// On the API's own origin: nothing that speaks for the origin, redirects stay below the prefix, and
// a page gets an origin of its own by CSP sandbox. The page's own policies stay, too.
http::Headers for_api_origin(const http::Headers& inside, const InsidePlace& place, bool upgrade);
// On a host of its own: nothing that reaches sibling hosts, and not our cookie.
http::Headers for_own_host(const http::Headers& inside);

// A Location as a client outside must see it; nullopt when it leads anywhere but to the server
// inside. A client follows it with its key, so it must not lead to other paths of the API.
std::optional<std::string> outside_location(std::string_view location, const InsidePlace& place);
// A Set-Cookie that reaches this host alone; nullopt when it names the preview's own cookie.
std::optional<std::string> host_cookie(std::string_view set_cookie);

}  // namespace atl::api
