#include "api/common/cors.hpp"

#include <algorithm>

namespace atl::api {

std::optional<http::Response> admit_page(const std::vector<std::string>& origins,
                                         const http::Request& request, http::Headers& answer) {
  if (origins.empty()) return {};
  answer.set("Vary", "Origin");
  std::string_view origin = request.headers.get("origin");
  if (request.headers.count("origin") != 1) return {};
  if (std::ranges::find(origins, origin) == origins.end()) return {};
  answer.set("Access-Control-Allow-Origin", origin);
  answer.set("Access-Control-Expose-Headers", "*");
  bool preflight = request.method == http::Method::kOptions &&
                   request.headers.has("access-control-request-method");
  if (!preflight) return {};
  http::Response response{.status = 204};
  response.headers.set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
  // The star does not stand for Authorization.
  response.headers.set("Access-Control-Allow-Headers", "Authorization, *");
  response.headers.set("Access-Control-Max-Age", "600");
  return response;
}

}  // namespace atl::api
