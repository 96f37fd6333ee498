// ANY /sessions/{id}/proxy/{port}/…: a port of the sandbox on the API's own origin. For programs;
// a page that a browser shows from here is walled off from the API.
#include <utility>

#include "api/common/page_headers.hpp"
#include "api/common/port_forward.hpp"
#include "api/common/proxy_headers.hpp"
#include "api/rest/routes.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

Task<Answer<void>> proxy(Call call) {
  ATOLL_CO_TRY(std::uint16_t port, port_of(call.request()));
  const http::Request& request = call.request();
  InsidePlace place{
      .prefix = "/api/v1/sessions/" + call.session_id().str() + "/proxy/" + std::to_string(port),
      .target = inside_target(request),
      .outside_host = std::string(request.headers.get("host")),
      .port = port};
  // A page that has the wrong type is shown all the same, as its server would have it.
  call.exchange->answer_headers().erase("X-Content-Type-Options");
  Forward forward{.port = port,
                  .target = place.target,
                  .headers = request_headers(request, place.prefix),
                  .answer = [place](const http::Headers& inside, bool upgrade) {
                    return for_api_origin(answer_headers(inside, upgrade), place, upgrade);
                  }};
  co_return co_await forward_to_port(port_call(call), std::move(forward));
}

}  // namespace

void add_proxy(Routes& routes) {
  constexpr const char* kPath = "/sessions/{id}/proxy/{port}/{path...}";
  routes.add(Method::kGet, kPath, "proxyGet", Access::kWriter, proxy);
  routes.add(Method::kPost, kPath, "proxyPost", Access::kWriter, proxy);
  routes.add(Method::kPut, kPath, "proxyPut", Access::kWriter, proxy);
  routes.add(Method::kPatch, kPath, "proxyPatch", Access::kWriter, proxy);
  routes.add(Method::kDelete, kPath, "proxyDelete", Access::kWriter, proxy);
  routes.add(Method::kOptions, kPath, "proxyOptions", Access::kWriter, proxy);
}

}  // namespace atl::api::rest
