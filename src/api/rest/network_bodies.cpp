#include "api/rest/network_bodies.hpp"

#include <utility>

#include <boost/json/object.hpp>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/call.hpp"
#include "model/ports.hpp"

namespace atl::api::rest {

namespace {

using boost::json::value;

std::string text_of(const boost::json::string& text) { return {text.data(), text.size()}; }

value json_of(const std::string& text) { return boost::json::string(text.data(), text.size()); }

Answer<model::PortRange> ports_of(const value& body, const std::string& at) {
  std::optional<model::PortRange> ports;
  if (const std::int64_t* number = body.if_int64()) {
    ports = model::parse_ports(std::to_string(*number));
  } else if (const boost::json::string* text = body.if_string()) {
    ports = model::parse_ports({text->data(), text->size()});
  } else {
    return refuse_field(at, "must be a port, such as 443, or a range, such as \"8000-8999\"");
  }
  if (!ports) {
    return refuse_value(at, "must be a port up to 65535, or a range such as \"8000-8999\"");
  }
  return *ports;
}

Answer<model::NetworkRule> rule_of(bodies::NetworkRuleBody body, const std::string& at) {
  if (body.target.empty()) return refuse_field(at + "/target", "is required");
  model::NetworkRule rule{.action = body.action, .target = std::move(body.target), .ports = {}};
  if (!body.ports) return rule;
  if (body.ports->empty()) {
    return refuse_value(at + "/ports", "must not be empty: leave it out for all ports");
  }
  for (const value& one : *body.ports) {
    ATOLL_TRY(model::PortRange range,
              ports_of(one, at + "/ports/" + std::to_string(rule.ports.size())));
    rule.ports.push_back(range);
  }
  return rule;
}

Answer<model::HeaderValue> header_of(const value& body, const std::string& at) {
  if (const boost::json::string* text = body.if_string()) {
    return model::HeaderValue{.value = text_of(*text), .secret = {}};
  }
  const boost::json::object* members = body.if_object();
  const value* secret = members != nullptr ? members->if_contains("secret") : nullptr;
  if (secret == nullptr || !secret->is_string() || members->size() != 1) {
    return refuse_field(at, "must be a string, or {\"secret\": NAME}");
  }
  return model::HeaderValue{.value = {}, .secret = text_of(secret->get_string())};
}

}  // namespace

Answer<control::NetworkRequest> to_request(bodies::NetworkPolicyBody body, std::string at) {
  ATOLL_CHECK(check_text(body.preset, at + "/preset", kMaxName));
  control::NetworkRequest request;
  model::NetworkPolicy& policy = request.policy;
  policy.default_ = body.default_.value_or(model::NetworkAction::kDeny);
  for (bodies::NetworkRuleBody& one : body.rules.value_or(std::vector<bodies::NetworkRuleBody>())) {
    ATOLL_TRY(model::NetworkRule rule,
              rule_of(std::move(one), at + "/rules/" + std::to_string(policy.rules.size())));
    policy.rules.push_back(std::move(rule));
  }
  if (body.headers) {
    for (const auto& [pattern, headers] : *body.headers) {
      for (const auto& [name, one] : headers) {
        std::string here =
            at + "/headers/" + pointer_segment(pattern) + "/" + pointer_segment(name);
        ATOLL_TRY(policy.headers[pattern][name], header_of(one, here));
      }
    }
  }
  policy.allow_private = std::move(body.allow_private).value_or(std::vector<std::string>());
  policy.secrets = std::move(body.secrets).value_or(std::vector<model::SecretUse>());
  policy.no_intercept = std::move(body.no_intercept).value_or(std::vector<std::string>());
  request.preset = std::move(body.preset).value_or("");
  request.at = std::move(at);
  return request;
}

bodies::NetworkPolicyBody policy_view(const model::NetworkPolicy& policy) {
  bodies::NetworkPolicyBody body;
  body.default_ = policy.default_;
  body.rules.emplace();
  for (const model::NetworkRule& rule : policy.rules) {
    bodies::NetworkRuleBody& one = body.rules->emplace_back();
    one.action = rule.action;
    one.target = rule.target;
    if (rule.ports.empty()) continue;
    one.ports.emplace();
    for (const model::PortRange& range : rule.ports) {
      one.ports->push_back(range.first == range.last ? value(range.first)
                                                     : json_of(model::ports_text(range)));
    }
  }
  body.headers.emplace();
  for (const auto& [pattern, headers] : policy.headers) {
    for (const auto& [name, one] : headers) {
      (*body.headers)[pattern][name] =
          one.secret ? value(boost::json::object({{"secret", json_of(*one.secret)}}))
                     : json_of(one.value.value_or(""));
    }
  }
  body.allow_private = policy.allow_private;
  body.secrets = policy.secrets;
  body.no_intercept = policy.no_intercept;
  return body;
}

}  // namespace atl::api::rest
