// Any other port of a sandbox, HTTP and WebSocket, with the key of the server: also as execd's own
// proxy, which is where clients look for it that know no other way.
#include <utility>

#include "api/common/page_headers.hpp"
#include "api/common/proxy_headers.hpp"
#include "api/opensandbox/call.hpp"
#include "api/opensandbox/errors.hpp"

namespace atl::api::opensandbox {

namespace {

Task<Answer<void>> forward(Call call) {
  ATOLL_CO_TRY(std::uint16_t port, port_of(call.request()));
  const http::Request& request = call.request();
  std::string_view path = request.path;
  std::string_view below = request.raw_rest;
  path.remove_suffix(std::min(path.size(), below.size()));
  while (path.ends_with('/')) path.remove_suffix(1);
  InsidePlace place{.prefix = std::string(path),
                    .target = inside_target(request),
                    .outside_host = std::string(request.headers.get("host")),
                    .port = port};
  // A page that has the wrong type is shown all the same, as its server would have it.
  call.exchange->answer_headers().erase("X-Content-Type-Options");
  http::Headers headers = request_headers(request, place.prefix);
  headers.erase(kTokenField);
  Forward inside{.port = port,
                 .target = place.target,
                 .headers = std::move(headers),
                 .answer = [place](const http::Headers& answer, bool upgrade) {
                   return for_api_origin(answer_headers(answer, upgrade), place, upgrade);
                 }};
  PortCall port_call{.executor = call.shared->options.executor,
                     .control = &call.control(),
                     .exchange = call.exchange,
                     .caller = call.caller,
                     .session = call.session_id()};
  co_return co_await forward_to_port(std::move(port_call), std::move(inside));
}

Task<Answer<void>> no_such_path(Call /*call*/) {
  co_return refuse(404, "not_found", "there is nothing at this path");
}

}  // namespace

void add_proxy(Routes& routes) {
  const std::string sandbox = "/sandboxes/{id}/proxy/";
  routes.any(sandbox + "44772/{path...}", "no_such_path", Access::kReader, no_such_path);
  routes.any(sandbox + "18080/{path...}", "no_such_policy_path", Access::kReader, no_such_path);
  routes.any(sandbox + "{port}", "proxy_root", Access::kWriter, forward);
  routes.any(sandbox + "{port}/{path...}", "proxy", Access::kWriter, forward);
  routes.any(sandbox + "44772/proxy/{port}", "execd_proxy_root", Access::kWriter, forward);
  routes.any(sandbox + "44772/proxy/{port}/{path...}", "execd_proxy", Access::kWriter, forward);
}

}  // namespace atl::api::opensandbox
