// Other ports of a sandbox, named by E2b-Sandbox-Id and E2b-Sandbox-Port, or by a host
// `<port>-<id>.` with a traffic token: what listens there answers. Without the token such hosts are
// previews.
#include "api/common/middleware.hpp"
#include "api/common/page_headers.hpp"
#include "api/common/port_forward.hpp"
#include "api/common/proxy_headers.hpp"
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"
#include "api/e2b/sandbox_request.hpp"

namespace atl::api::e2b {

namespace {

// Without what let the request in.
http::Headers headers_inside(const Call& call) {
  http::Headers out;
  for (const auto& [name, text] : request_headers(call.request(), "")) {
    bool ours = http::same_name(name, "x-access-token") ||
                http::same_name(name, "e2b-traffic-access-token");
    if (!ours) out.add(name, text);
  }
  return out;
}

Task<Answer<void>> forward(Call call) {
  auto named = sandbox_named(*call.e2b, call.request());
  std::uint16_t port = named ? named->port : 0;
  if (port == 0)
    co_return refuse(Code::kInvalidArgument, "E2b-Sandbox-Port must be from 1 to 65535");
  Forward forward{.port = port,
                  .target = call.request().target,
                  .headers = headers_inside(call),
                  .answer = [](const http::Headers& inside, bool upgrade) {
                    return for_own_host(answer_headers(inside, upgrade));
                  }};
  PortCall to{.executor = call.e2b->options.common.executor,
              .control = &call.e2b->control,
              .exchange = call.exchange,
              .caller = call.caller,
              .session = call.sandbox};
  co_return co_await forward_to_port(std::move(to), std::move(forward));
}

}  // namespace

void add_ports(Routes& routes) {
  routes.add_any("/{path...}", "e2bPort", Access::kWriter, forward);
}

}  // namespace atl::api::e2b
