#include "control/session_network.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "codec/names.hpp"
#include "control/network_policies.hpp"
#include "egress/inside.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;

namespace {

// Trust stores are mounted when a sandbox is made.
Result<void> check_trust(const LiveSession& session, const model::NetworkPolicy& policy) {
  auto needs = [](const std::optional<model::NetworkPolicy>& one) {
    return one && egress::needs_trust(*one);
  };
  if (!egress::needs_trust(policy) || needs(session.row.config.network) ||
      needs(session.origin->spec.security.network)) {
    return {};
  }
  return fail(Code::kPolicyUnsupported,
              "the session was made without secrets and headers, so its programs would not trust "
              "what they reach: make a new session with this policy");
}

}  // namespace

Task<Result<NetworkView>> SessionNetwork::get(Caller caller, SessionId id) {
  ATOLL_CO_TRY(model::Session row, co_await sessions_.get(caller, id));
  Result<LiveSessionPtr> session = sessions_.find_live(caller, id);
  model::TemplateSecurity security;
  if (session) security = (*session)->origin->spec.security;
  NetworkView view{.policy = shared_.network.in_force(security, row.config), .figures = {}};
  if (!session) co_return view;  // it has ended
  const node::Node* node = shared_.placement.find(row.runtime_node);
  if (node == nullptr || !node->opens_networks(row.backend)) co_return view;
  ATOLL_CO_TRY(view.figures, co_await shared_.networks.figures(row.sandbox_id));
  co_return view;
}

Task<Result<NetworkView>> SessionNetwork::replace(Caller caller, SessionId id,
                                                  NetworkRequest request) {
  ATOLL_CO_TRY(LiveSessionPtr session, co_await sessions_.live(caller, id));
  std::string at = request.at;
  ATOLL_CO_TRY(model::NetworkPolicy policy,
               settle_network(caller, *session->origin, std::move(request), shared_.network));
  ATOLL_CO_TRY(policy, shared_.network.with_denied(std::move(policy)));
  model::SessionConfig config = session->row.config;
  config.network = policy;
  config.allow_network = false;
  const node::Node* node = shared_.placement.find(session->row.runtime_node);
  if (node == nullptr) {
    co_return fail(Code::kNoAvailableRuntime, "the node of the session is gone");
  }
  ATOLL_CO_CHECK(node->check(*session->origin, config));
  model::NetworkPolicy present =
      shared_.network.in_force(session->origin->spec.security, session->row.config);
  bool is_any = model::allows_anything(policy) || model::allows_anything(present);
  if (is_any && !node->opens_networks(session->row.backend)) {
    co_return fail(Code::kPolicyUnsupported, "the network of a sandbox on " + session->row.backend +
                                                 " is what it was made with: make a new session");
  }
  ATOLL_CO_CHECK(check_trust(*session, policy));
  ATOLL_CO_CHECK(co_await secrets_.check_used(caller.tenant, policy, std::move(at)));
  // A paused one has its policy changed too: it is what holds when it is resumed.
  while (session->row.state == model::SessionState::kCreating && !session->ending()) {
    co_await session->changed.wait();
  }
  if (!session->usable()) {
    co_return fail(Code::kConflict, "the session is " + codec::enum_name(session->row.state));
  }
  model::SessionConfig before = session->row.config;
  session->row.config.network = policy;
  session->row.config.allow_network = false;
  Result<void> written = co_await sessions_.put(
      session, audit_row(caller, {.action = AuditAction::kNetworkChanged, .session_id = id}));
  if (!written) {  // what the store refuses must not stand in the way of the next write
    session->row.config.network = std::move(before.network);
    session->row.config.allow_network = before.allow_network;
    co_return fail(written.error());
  }
  // Behind the write: after a crash in between, the next server puts it in force.
  if (session->usable() && node->opens_networks(session->row.backend)) {
    node::NetworkGrant grant{
        .policy = std::move(policy), .secrets = {}, .tenant = session->row.tenant};
    ATOLL_CO_TRY(grant.secrets, co_await secrets_.values_of(caller.tenant, grant.policy));
    ATOLL_CO_CHECK(co_await shared_.networks.apply(session->sandbox, std::move(grant)));
  }
  co_return co_await get(std::move(caller), std::move(id));
}

// A program that is refused tries again, and may try thousands of times.
bool SessionNetwork::may_tell(const SessionId& id) {
  std::erase_if(told_, [&](const auto& one) { return !sessions_.contains(one.first); });
  Told& told = told_[id];
  auto now = shared_.clock.steady();
  if (told.count == 0 || now - told.since >= std::chrono::minutes(1)) told = {.since = now};
  return ++told.count <= kToldPerMinute;
}

void SessionNetwork::refused(const SandboxId& id, const node::NetworkRefusal& refusal) {
  std::vector<LiveSessionPtr> all = sessions_.all();
  auto found = std::ranges::find_if(
      all, [&](const LiveSessionPtr& one) { return one->row.sandbox_id == id; });
  if (found == all.end() || !may_tell((*found)->row.id)) return;
  const model::Session& row = (*found)->row;
  shared_.events.publish({.event = "network_refused",
                          .tenant = row.tenant,
                          .session_id = row.id.str(),
                          .status = codec::enum_name(row.state),
                          .time = sessions_.now(),
                          .host = refusal.host,
                          .port = refusal.port,
                          .reason = refusal.reason});
  std::string detail = refusal.host + ":" + std::to_string(refusal.port) + " " + refusal.reason;
  if (!refusal.detail.empty()) detail += " (" + refusal.detail + ")";
  // The key that made the session: nobody else stands behind what runs in it.
  audit_.soon(audit_row(
      {.tenant = row.tenant, .key_id = row.key_id},
      {.action = AuditAction::kNetworkRefused, .session_id = row.id, .detail = std::move(detail)}));
}

}  // namespace atl::control
