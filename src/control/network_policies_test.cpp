#include "control/network_policies.hpp"

#include <random>

#include <gtest/gtest.h>

#include "base/field_error.hpp"
#include "control/templates.hpp"
#include "egress/policy.hpp"

namespace atl::control {
namespace {

using model::NetworkAction;
using model::NetworkPolicy;
using model::NetworkRule;
using model::PortRange;

NetworkRule allow(std::string target, std::vector<PortRange> ports = {}) {
  return {.action = NetworkAction::kAllow, .target = std::move(target), .ports = std::move(ports)};
}
NetworkRule deny(std::string target, std::vector<PortRange> ports = {}) {
  return {.action = NetworkAction::kDeny, .target = std::move(target), .ports = std::move(ports)};
}
NetworkPolicy policy(std::vector<NetworkRule> rules, NetworkAction otherwise = {}) {
  NetworkPolicy made;
  made.default_ = otherwise;
  made.rules = std::move(rules);
  return made;
}

std::string place_of(const Result<NetworkPolicy>& result) {
  return result ? "" : std::string(field_of(result.error()));
}

TEST(NetworkPolicies, PresetsComeBehindTheOwnRules) {
  NetworkSettings settings;
  settings.presets = {{"pypi",
                       {.rules = {allow("packages.example.org")},
                        .allow_private = {"10.0.0.0/8"},
                        .no_intercept = {"packages.example.org"}}},
                      {"npm", {}}};
  NetworkPolicies policies(settings);
  NetworkRequest request{
      .policy = policy({deny("packages.example.org")}), .preset = "pypi", .at = "/network"};
  Result<NetworkPolicy> settled = policies.settle(request);
  ASSERT_TRUE(settled);
  ASSERT_EQ(settled->rules.size(), 2u);
  EXPECT_EQ(settled->rules[0].action, NetworkAction::kDeny);
  EXPECT_EQ(settled->allow_private.size(), 1u);
  EXPECT_EQ(settled->no_intercept.size(), 1u);
  request.preset = "pipy";
  Result<NetworkPolicy> unknown = policies.settle(request);
  EXPECT_EQ(place_of(unknown), "/network/preset");
  EXPECT_NE(unknown.error().message().find("npm, pypi"), std::string::npos);
}

TEST(NetworkPolicies, FaultsAreAtTheirPlaceInTheRequest) {
  NetworkSettings settings;
  settings.presets["large"].rules = std::vector<NetworkRule>(6000, allow("a.b"));
  NetworkPolicies policies(settings);
  EXPECT_EQ(place_of(policies.settle({.policy = policy({allow("a b")}), .preset = {}, .at = "/x"})),
            "/x/rules/0/target");
  NetworkPolicy many = policy(std::vector<NetworkRule>(6000, allow("a.b")));
  EXPECT_TRUE(policies.settle({.policy = many, .preset = {}, .at = ""}));
  EXPECT_EQ(place_of(policies.settle({.policy = many, .preset = "large", .at = ""})), "/preset");
}

bool lets(const NetworkPolicy& policy, std::string_view host, std::uint16_t port);

TEST(NetworkPolicies, ListsMeanTheSameAsRules) {
  NetworkSettings settings;
  settings.allowed_domains = {"*.server.test"};
  settings.denied_domains = {"bad.server.test"};
  NetworkPolicies policies(settings);
  model::TemplateSecurity security{.allowed_domains = {"template.test"}};
  NetworkPolicy lists = policies.in_force(security, {.allow_network = true});
  EXPECT_TRUE(lets(lists, "a.server.test", 443));
  EXPECT_FALSE(lets(lists, "bad.server.test", 443));
  EXPECT_TRUE(lets(lists, "template.test", 22));
  EXPECT_FALSE(lets(lists, "other.test", 443));
  NetworkPolicies none;
  EXPECT_TRUE(lets(none.in_force({}, {.allow_network = true}), "other.test", 443));
  EXPECT_FALSE(lets(none.in_force({}, {}), "other.test", 443));
  model::SessionConfig own;
  own.network = policy({allow("bad.server.test")}, NetworkAction::kAllow);
  own.network = *policies.with_denied(*own.network);
  EXPECT_FALSE(lets(policies.in_force(security, own), "bad.server.test", 443));
  EXPECT_TRUE(lets(policies.in_force(security, own), "other.test", 443));
  EXPECT_FALSE(policies.with_denied(policy(std::vector<NetworkRule>(10'000, allow("a.b")))));
}

bool lets(const NetworkPolicy& policy, std::string_view host, std::uint16_t port) {
  Result<egress::Policy> compiled = egress::compile(policy);
  if (!compiled) return false;
  auto address = egress::Address::parse(host);
  auto verdict =
      address ? compiled->rules().judge(*address, port) : compiled->rules().judge(host, port);
  return verdict.action == egress::Action::kAllow;
}

// What both allow, and nothing else: tried with policies made at random from a few parts.
TEST(Narrowed, IsWhatBothAllow) {
  const std::vector<std::string> targets = {"*",           "a.test",   "*.a.test",
                                            "*.b.a.test",  "b.a.test", "10.0.0.0/8",
                                            "10.1.0.0/16", "10.1.2.3", "*.test"};
  const std::vector<std::vector<PortRange>> ports = {
      {}, {{.first = 443, .last = 443}}, {{.first = 80, .last = 443}}, {{.first = 1, .last = 79}}};
  std::mt19937 random(7);
  auto any_policy = [&] {
    NetworkPolicy made =
        policy({}, random() % 2 == 0 ? NetworkAction::kAllow : NetworkAction::kDeny);
    for (std::size_t i = random() % 5; i > 0; --i) {
      const std::string& target = targets[random() % targets.size()];
      const auto& range = ports[random() % ports.size()];
      made.rules.push_back(random() % 2 == 0 ? allow(target, range) : deny(target, range));
    }
    return made;
  };
  int allowed = 0;
  for (int round = 0; round < 500; ++round) {
    NetworkPolicy bound = any_policy();
    NetworkPolicy asked = any_policy();
    Result<NetworkPolicy> both = narrowed(bound, asked);
    ASSERT_TRUE(both);
    for (const char* host : {"a.test", "b.a.test", "c.b.a.test", "x.test", "other", "10.1.2.3",
                             "10.1.9.9", "10.9.9.9", "192.0.2.1"}) {
      for (int number : {22, 80, 443, 8080}) {
        auto port = static_cast<std::uint16_t>(number);
        bool wanted = lets(bound, host, port) && lets(asked, host, port);
        ASSERT_EQ(lets(*both, host, port), wanted) << host << ":" << port;
        allowed += wanted ? 1 : 0;
      }
    }
  }
  EXPECT_GT(allowed, 100);
}

TEST(Narrowed, PrivateNetworksAreTheCommonOnes) {
  NetworkPolicy bound = policy({}, NetworkAction::kAllow);
  bound.allow_private = {"10.0.0.0/8"};
  NetworkPolicy asked = policy({}, NetworkAction::kAllow);
  asked.allow_private = {"10.1.0.0/16", "192.168.0.0/16", "0.0.0.0/0"};
  EXPECT_EQ(narrowed(bound, asked)->allow_private,
            (std::vector<std::string>{"10.1.0.0/16", "10.0.0.0/8"}));
}

TEST(Narrowed, TooManyPairsAreRefused) {
  NetworkPolicy many = policy(std::vector<NetworkRule>(10'000, allow("a.b")));
  EXPECT_EQ(narrowed(many, many).error().code(), Code::kInvalidValue);
  EXPECT_TRUE(narrowed(many, policy({}, NetworkAction::kAllow)));
}

// covers: C62
TEST(SettleNetwork, ATemplateIsTheBound) {
  NetworkPolicies policies;
  Caller user{.role = model::Role::kUser};
  Caller admin{.role = model::Role::kAdmin};
  model::Template origin{.id = "x"};
  NetworkRequest wish{
      .policy = policy({allow("a.test"), allow("b.test")}), .preset = {}, .at = "/n"};
  // No network in the template.
  EXPECT_EQ(settle_network(user, origin, wish, policies).error().code(), Code::kForbidden);
  EXPECT_TRUE(settle_network(admin, origin, wish, policies));
  EXPECT_TRUE(settle_network(user, origin, {.policy = {}, .preset = {}, .at = ""}, policies));
  // A list, everything, a policy: nobody gets more.
  for (const Caller& caller : {user, admin}) {
    origin.spec.security = {.allowed_domains = {"a.test"}};
    Result<NetworkPolicy> got = settle_network(caller, origin, wish, policies);
    ASSERT_TRUE(got);
    EXPECT_TRUE(lets(*got, "a.test", 443));
    EXPECT_FALSE(lets(*got, "b.test", 443));
    origin.spec.security = {.allow_network = true};
    got = settle_network(caller, origin, wish, policies);
    EXPECT_TRUE(lets(*got, "b.test", 443));
    EXPECT_FALSE(lets(*got, "c.test", 443));
    origin.spec.security = {};
    origin.spec.security.network = policy({allow("*.test", {{.first = 443, .last = 443}})});
    got = settle_network(caller, origin, wish, policies);
    EXPECT_TRUE(lets(*got, "b.test", 443));
    EXPECT_FALSE(lets(*got, "b.test", 80));
  }
}

TEST(SettleConfig, AllowNetworkAndNetwork) {
  model::Template origin{.id = "x"};
  origin.spec.security.network = policy({allow("a.test")});
  EXPECT_TRUE(settle_config(origin, {}, {})->network.has_value());
  EXPECT_TRUE(settle_config(origin, {.allow_network = true}, {})->network.has_value());
  Result<model::SessionConfig> none = settle_config(origin, {.allow_network = false}, {});
  EXPECT_FALSE(none->network.has_value());
  EXPECT_FALSE(none->allow_network);
  ConfigRequest both{
      .allow_network = true,
      .network = NetworkRequest{.policy = {}, .preset = {}, .at = "/config/network"}};
  Result<model::SessionConfig> refused = settle_config(origin, both, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(field_of(refused.error()), "/config/network");
  // A policy goes before what the template says of everything.
  origin.spec.security = {.allow_network = true};
  both.allow_network.reset();
  EXPECT_FALSE(settle_config(origin, both, {})->allow_network);
}

}  // namespace
}  // namespace atl::control
