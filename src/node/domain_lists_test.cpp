#include "node/domain_lists.hpp"

#include <gtest/gtest.h>

namespace atl::node {
namespace {

using model::NetworkAction, model::NetworkPolicy;
using Names = std::vector<std::string>;

constexpr sandbox::ListForms kPlain{}, kPorts{.ports = true}, kOpen{.allow_others = true};

NetworkPolicy with_rule(NetworkAction action, std::string target,
                        std::vector<model::PortRange> ports = {}) {
  NetworkPolicy policy;
  policy.rules.push_back({NetworkAction::kAllow, "a.test", {}});
  policy.rules.push_back({action, std::move(target), std::move(ports)});
  return policy;
}

bool refused(const NetworkPolicy& policy, const sandbox::ListForms& forms) {
  auto lists = lists_of(policy, forms);
  return !lists && lists.error().code() == Code::kPolicyUnsupported;
}

TEST(DomainLists, DeniedNamesComeFirst) {
  NetworkPolicy policy;
  policy.rules.push_back({NetworkAction::kDeny, "bad.a.test", {}});
  policy.rules.push_back({NetworkAction::kAllow, "*.a.test", {}});
  sandbox::NetworkPolicy lists = lists_of(policy, kPlain).value();
  EXPECT_EQ(lists.allowed_domains, Names{"*.a.test"});
  EXPECT_EQ(lists.denied_domains, Names{"bad.a.test"});
  EXPECT_EQ(lists.allow_others, false);
  EXPECT_EQ(lists_of({}, kPlain)->allow_others, false);
  EXPECT_TRUE(refused(with_rule(NetworkAction::kDeny, "b.test"), kPlain));
}

TEST(DomainLists, PortsWhereTheyCanBeSaid) {
  NetworkPolicy policy = with_rule(NetworkAction::kAllow, "b.test", {{443, 443}, {22, 22}});
  EXPECT_EQ(lists_of(policy, kPorts)->allowed_domains,
            (Names{"a.test", "b.test:443", "b.test:22"}));
  EXPECT_TRUE(refused(policy, kPlain));
  EXPECT_TRUE(refused(with_rule(NetworkAction::kAllow, "b.test", {{1, 9}}), kPorts));
}

TEST(DomainLists, AllOthers) {
  EXPECT_TRUE(refused({.default_ = NetworkAction::kAllow}, kPorts));
  EXPECT_EQ(lists_of({.default_ = NetworkAction::kAllow}, kOpen)->allow_others, true);
  EXPECT_TRUE(refused(with_rule(NetworkAction::kAllow, "*"), kPorts));
  EXPECT_EQ(lists_of(with_rule(NetworkAction::kAllow, "*"), kOpen)->allow_others, true);
  EXPECT_EQ(lists_of(with_rule(NetworkAction::kDeny, "*"), kPlain)->allow_others, false);
  EXPECT_TRUE(refused(with_rule(NetworkAction::kDeny, "*", {{25, 25}}), kPorts));
}

TEST(DomainLists, WhatNoListCanSay) {
  for (const char* target : {"10.0.0.0/8", "10.0.0.1", "fd00::1"}) {
    EXPECT_TRUE(refused(with_rule(NetworkAction::kAllow, target), kOpen)) << target;
  }
  NetworkPolicy headers = with_rule(NetworkAction::kAllow, "b.test");
  headers.headers["b.test"]["X"] = {.value = "1", .secret = std::nullopt};
  EXPECT_TRUE(refused(headers, kOpen));
  NetworkPolicy secret = with_rule(NetworkAction::kAllow, "b.test");
  secret.secrets.push_back({"T", "t", {"b.test"}});
  EXPECT_TRUE(refused(secret, kOpen));
  NetworkPolicy near = with_rule(NetworkAction::kAllow, "b.test");
  near.allow_private = {"10.0.0.0/8"};
  EXPECT_TRUE(refused(near, kOpen));
}

}  // namespace
}  // namespace atl::node
