// /policy of the egress sidecar, and the same of the lifecycle API: what the network of a sandbox
// is held to. What a backend cannot enforce, control refuses.
#include "api/opensandbox/policy.hpp"

#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/opensandbox/call.hpp"
#include "api/opensandbox/errors.hpp"

namespace atl::api::opensandbox {

namespace {

using model::NetworkAction;

Answer<NetworkAction> action_of(std::string_view text, const std::string& at) {
  if (text == "allow") return NetworkAction::kAllow;
  if (text == "deny") return NetworkAction::kDeny;
  return refuse_value(at, "must be `allow` or `deny`");
}

std::string_view name_of(NetworkAction action) {
  return action == NetworkAction::kAllow ? "allow" : "deny";
}

std::string_view mode_of(const model::NetworkPolicy& policy) {
  if (!policy.rules.empty()) return "enforcing";
  return policy.default_ == NetworkAction::kAllow ? "allow_all" : "deny_all";
}

Task<Answer<http::Response>> get(Call call) {
  ATOLL_CO_CHECK(co_await call.control().sessions().check_alive(call.caller, call.session_id()));
  ATOLL_CO_TRY(control::NetworkView view,
               co_await call.control().session_network().get(call.caller, call.session_id()));
  co_return json_response(200, policy_status(view.policy));
}

Task<Answer<http::Response>> replace(Call call) {
  ATOLL_CO_TRY(PolicyBody body, co_await read_json<PolicyBody>(call));
  ATOLL_CO_TRY(control::NetworkRequest request, to_network(std::move(body), ""));
  ATOLL_CO_TRY(control::NetworkView view, co_await call.control().session_network().replace(
                                              call.caller, call.session_id(), std::move(request)));
  co_return json_response(200, policy_status(view.policy));
}

Task<Answer<http::Response>> edit(Call call, control::NetworkEdit change) {
  ATOLL_CO_TRY(control::NetworkView view, co_await call.control().session_network().edit(
                                              call.caller, call.session_id(), std::move(change)));
  co_return json_response(200, policy_status(view.policy));
}

// Of several rules for one target the first wins, as it does in every policy.
Task<Answer<http::Response>> patch(Call call) {
  ATOLL_CO_TRY(std::vector<RuleBody> bodies, co_await read_json<std::vector<RuleBody>>(call));
  if (bodies.empty() || bodies.size() > kMaxRules) {
    co_return refuse(Code::kInvalidArgument, "the body must be a list of rules");
  }
  control::NetworkEdit change;
  for (RuleBody& body : bodies) {
    ATOLL_CO_TRY(model::NetworkRule rule,
                 to_rule(std::move(body), "/" + std::to_string(change.first.size())));
    change.first.push_back(std::move(rule));
  }
  co_return co_await edit(call, std::move(change));
}

Task<Answer<http::Response>> remove(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> targets,
               co_await read_json<std::vector<std::string>>(call));
  if (targets.size() > kMaxRules) co_return refuse(Code::kInvalidArgument, "too many targets");
  co_return co_await edit(call, {.first = {}, .without = std::move(targets)});
}

Task<Answer<http::Response>> health(Call call) {
  ATOLL_CO_CHECK(co_await call.control().sessions().check_alive(call.caller, call.session_id()));
  http::Response response{.status = 200, .body = "ok\n"};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  co_return response;
}

}  // namespace

Answer<model::NetworkRule> to_rule(RuleBody body, const std::string& at) {
  if (body.target.empty() || body.target.size() > kMaxName) {
    return refuse_value(at + "/target", "must be a name, a pattern of names or a network");
  }
  ATOLL_TRY(NetworkAction action, action_of(body.action, at + "/action"));
  return model::NetworkRule{.action = action, .target = std::move(body.target), .ports = {}};
}

Answer<control::NetworkRequest> to_network(PolicyBody body, std::string at) {
  control::NetworkRequest request;
  request.policy.default_ = NetworkAction::kDeny;
  if (body.default_action) {
    ATOLL_TRY(request.policy.default_, action_of(*body.default_action, at + "/defaultAction"));
  }
  std::vector<RuleBody> rules = std::move(body.egress).value_or(std::vector<RuleBody>());
  if (rules.size() > kMaxRules) return refuse_value(at + "/egress", "has too many rules");
  for (RuleBody& one : rules) {
    ATOLL_TRY(
        model::NetworkRule rule,
        to_rule(std::move(one), at + "/egress/" + std::to_string(request.policy.rules.size())));
    request.policy.rules.push_back(std::move(rule));
  }
  request.at = std::move(at);
  return request;
}

object policy_status(const model::NetworkPolicy& policy) {
  boost::json::array egress;
  for (const model::NetworkRule& rule : policy.rules) {
    egress.push_back(object{{"action", name_of(rule.action)}, {"target", rule.target}});
  }
  return {{"status", "ok"},
          {"mode", mode_of(policy)},
          {"enforcementMode", "relay"},
          {"policy",
           object{{"defaultAction", name_of(policy.default_)}, {"egress", std::move(egress)}}}};
}

void add_policy(Routes& routes) {
  routes.egress(Method::kGet, "/policy", "get_policy", Access::kReader, get);
  routes.egress(Method::kPost, "/policy", "post_policy", Access::kWriter, replace);
  routes.egress(Method::kPut, "/policy", "replace_policy", Access::kWriter, replace);
  routes.egress(Method::kPatch, "/policy", "patch_policy", Access::kWriter, patch);
  routes.egress(Method::kDelete, "/policy", "delete_policy_rules", Access::kWriter, remove);
  routes.egress(Method::kGet, "/healthz", "egress_health", Access::kReader, health);
  constexpr const char* kPath = "/sandboxes/{id}/networkpolicy";
  routes.lifecycle(Method::kGet, kPath, "get_network_policy", Access::kReader, get);
  routes.lifecycle(Method::kPut, kPath, "replace_network_policy", Access::kWriter, replace);
  routes.lifecycle(Method::kPatch, kPath, "patch_network_policy", Access::kWriter, patch);
  routes.lifecycle(Method::kDelete, kPath, "delete_network_policy_rules", Access::kWriter, remove);
}

}  // namespace atl::api::opensandbox
