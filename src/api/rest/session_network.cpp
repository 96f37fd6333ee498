#include "control/session_network.hpp"

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/network_bodies.hpp"
#include "api/rest/routes.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

bodies::NetworkFiguresBody figures_view(const node::NetworkFigures& figures) {
  bodies::NetworkFiguresBody body{.connections = figures.open.size(),
                                  .connections_total = figures.connections_total,
                                  .rx_bytes = figures.rx_bytes,
                                  .tx_bytes = figures.tx_bytes,
                                  .refused_total = figures.refused_total,
                                  .open = {},
                                  .refused = {}};
  for (const node::NetworkConnection& one : figures.open) {
    body.open.push_back({.host = one.host,
                         .port = one.port,
                         .rx_bytes = one.rx_bytes,
                         .tx_bytes = one.tx_bytes,
                         .since = rfc3339(one.since)});
  }
  for (const node::NetworkRefusal& one : figures.refused) {
    body.refused.push_back({.host = one.host,
                            .port = one.port,
                            .reason = one.reason,
                            .detail = one.detail,
                            .at = rfc3339(one.at)});
  }
  return body;
}

http::Response answer(const Call& call, const control::NetworkView& network) {
  bodies::SessionNetworkBody body{
      .session_id = call.session_id().str(), .policy = policy_view(network.policy), .figures = {}};
  if (network.figures) {
    body.figures = figures_view(*network.figures);
  }
  return json_response(200, body);
}

Task<Answer<http::Response>> get_network(Call call) {
  ATOLL_CO_TRY(control::NetworkView network,
               co_await call.control().session_network().get(call.caller, call.session_id()));
  co_return answer(call, network);
}

Task<Answer<http::Response>> replace_network(Call call) {
  ATOLL_CO_TRY(bodies::NetworkPolicyBody body,
               co_await read_json<bodies::NetworkPolicyBody>(call, kMaxSmallBody));
  ATOLL_CO_TRY(control::NetworkRequest request, to_request(std::move(body), ""));
  ATOLL_CO_TRY(control::NetworkView network,
               co_await call.control().session_network().replace(call.caller, call.session_id(),
                                                                 std::move(request)));
  co_return answer(call, network);
}

}  // namespace

void add_session_network(Routes& routes) {
  routes.add(Method::kGet, "/sessions/{id}/network", "getSessionNetwork", Access::kReader,
             get_network);
  routes.add(Method::kPut, "/sessions/{id}/network", "replaceSessionNetwork", Access::kWriter,
             replace_network);
}

}  // namespace atl::api::rest
