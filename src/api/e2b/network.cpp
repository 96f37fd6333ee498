#include "api/e2b/network.hpp"

#include "api/common/text.hpp"

namespace atl::api::e2b {

namespace {

using model::NetworkAction;
using model::NetworkPolicy;

constexpr std::string_view kAll = "0.0.0.0/0";

// "*" and 0.0.0.0/0 are everything.
std::string target_of(const std::string& text) { return text == kAll ? "*" : text; }

Answer<void> take_rules(const object& rules, NetworkPolicy& policy) {
  for (const auto& [host, list] : rules) {
    const array* items = list.if_array();
    if (items == nullptr) return refuse(Code::kInvalidArgument, "rules must be lists");
    for (const value& item : *items) {
      const object* one = item.if_object();
      const object* transform = one != nullptr ? object_member(*one, "transform") : nullptr;
      if (transform == nullptr) continue;
      ATOLL_TRY(StringMap headers, map_member(*transform, "headers"));
      for (auto& [name, text] : headers) {
        policy.headers[std::string(host)][name] = {.value = std::move(text), .secret = {}};
      }
    }
  }
  return {};
}

Answer<void> check_supported(const object& network) {
  for (std::string_view name : {"egressProxy", "maskRequestHost"}) {
    const value* found = network.if_contains(name);
    if (found != nullptr && !found->is_null()) {
      return refuse(Code::kPolicyUnsupported,
                    "network." + std::string(name) + " is not supported by this server");
    }
  }
  return {};
}

}  // namespace

// What E2B says: an allowed target wins over a denied one; what is in neither list is allowed,
// unless internet access is off.
Answer<std::optional<control::NetworkRequest>> network_of(const object* network,
                                                          std::optional<bool> allow_internet) {
  static const object kNothing;
  const object& body = network != nullptr ? *network : kNothing;
  ATOLL_CHECK(check_supported(body));
  ATOLL_TRY(std::vector<std::string> allow, list_member(body, "allowOut"));
  ATOLL_TRY(std::vector<std::string> deny, list_member(body, "denyOut"));
  ATOLL_TRY(std::optional<bool> inner, flag_member(body, "allow_internet_access"));
  if (inner) allow_internet = inner;
  control::NetworkRequest request;
  request.at = "network";
  if (const object* rules = object_member(body, "rules")) {
    ATOLL_CHECK(take_rules(*rules, request.policy));
  }
  bool says_something = !allow.empty() || !deny.empty() || !request.policy.headers.empty();
  if (!says_something && allow_internet.value_or(true)) return std::nullopt;
  request.policy.default_ =
      allow_internet.value_or(true) ? NetworkAction::kAllow : NetworkAction::kDeny;
  for (std::string& target : allow) {
    request.policy.rules.push_back(
        {.action = NetworkAction::kAllow, .target = target_of(target), .ports = {}});
  }
  for (std::string& target : deny) {
    request.policy.rules.push_back(
        {.action = NetworkAction::kDeny, .target = target_of(target), .ports = {}});
  }
  return request;
}

object network_view(const NetworkPolicy& policy) {
  array allow, deny;
  for (const model::NetworkRule& rule : policy.rules) {
    bool all = rule.target == "*";
    value target = all ? value(kAll) : value(json_text(rule.target));
    (rule.action == NetworkAction::kAllow ? allow : deny).push_back(std::move(target));
  }
  if (policy.default_ == NetworkAction::kDeny) deny.push_back(value(kAll));
  return {{"allowOut", std::move(allow)}, {"denyOut", std::move(deny)}};
}

}  // namespace atl::api::e2b
