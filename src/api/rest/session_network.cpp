#include "control/session_network.hpp"

#include "api/common/limits.hpp"
#include "api/rest/bodies.hpp"
#include "api/rest/network_bodies.hpp"
#include "api/rest/routes.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

http::Response answer(const Call& call, const control::NetworkView& network) {
  bodies::SessionNetworkBody body{
      .session_id = call.session_id().str(), .policy = policy_view(network.policy), .figures = {}};
  if (network.figures) {
    body.figures =
        bodies::NetworkFiguresBody{.connections = network.figures->connections,
                                   .connections_total = network.figures->connections_total,
                                   .rx_bytes = network.figures->rx_bytes,
                                   .tx_bytes = network.figures->tx_bytes,
                                   .refused_total = network.figures->refused_total};
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
