#include "egress/policy.hpp"

#include <gtest/gtest.h>

#include "base/field_error.hpp"

namespace atl::egress {
namespace {

using model::NetworkAction, model::NetworkPolicy, model::NetworkRule;

NetworkPolicy with_target(std::string target) {
  NetworkPolicy policy;
  policy.rules.push_back({.target = "ok.test"});
  policy.rules.push_back({.target = std::move(target)});
  return policy;
}

std::string wrong_field(const NetworkPolicy& policy) {
  Result<Policy> compiled = compile(policy);
  if (compiled) return "none";
  EXPECT_EQ(compiled.error().code(), Code::kInvalidValue);
  return std::string(field_of(compiled.error()));
}

bool allows(const Policy& policy, std::string_view name, std::uint16_t port = 443) {
  return policy.rules().judge(name, port).action == Action::kAllow;
}

TEST(NetworkPolicy, RulesKeepTheirOrderAndTheDefaultItsPlace) {
  NetworkPolicy policy{.default_ = NetworkAction::kAllow};
  policy.rules.push_back({NetworkAction::kDeny, "No.Test.", {}});
  policy.rules.push_back({NetworkAction::kAllow, "*.test", {{443, 443}}});
  policy.rules.push_back({NetworkAction::kDeny, "*.test", {}});
  Policy compiled = compile(policy).value();
  EXPECT_FALSE(allows(compiled, "no.test"));
  EXPECT_TRUE(allows(compiled, "yes.test"));
  EXPECT_FALSE(allows(compiled, "yes.test", 80));
  EXPECT_TRUE(allows(compiled, "example.org"));
  EXPECT_FALSE(allows(Policy(), "example.org"));
}

TEST(NetworkPolicy, TargetsAreNamesOrNetworks) {
  Policy compiled = compile(with_target("10.0.0.0/8")).value();
  Address inside = Address::parse("10.1.2.3").value();
  EXPECT_EQ(compiled.rules().judge(inside, 1).action, Action::kAllow);
  for (const char* good : {"a", "*.a.b", "*", "xn--bcher-kva.test", "10.0.0.1", "fd00::/8", "::1",
                           "0.0.0.0/0", "1password.com", "a_b.test", "x.0a"}) {
    EXPECT_EQ(wrong_field(with_target(good)), "none") << good;
  }
  for (const char* bad :
       {"", "a..b", "bücher.test", "a.test:443", "10.0.0.1/8", "10.0.0.0/33", "http://a", "1.2.3",
        "0x7f.1", "0x7f000001", "2130706433", "*.1", "a b", "**", "300.1.1.1", "127.0x1"}) {
    EXPECT_EQ(wrong_field(with_target(bad)), "/rules/1/target") << bad;
  }
}

TEST(NetworkPolicy, PinnedHostsHaveTheirAddresses) {
  Policy policy = compile(with_target("index.test")).value();
  ASSERT_TRUE(policy.pin("Index.test", {"10.0.0.1", "::1"}));
  ASSERT_TRUE(policy.pin("fd00::0:5", {"fd00::5"}));
  ASSERT_NE(policy.pinned("index.test"), nullptr);
  EXPECT_EQ(policy.pinned("index.test")->at(0), Address::parse("10.0.0.1").value());
  EXPECT_EQ(policy.pinned("index.test")->size(), 2u);
  EXPECT_NE(policy.pinned("fd00::5"), nullptr);
  EXPECT_EQ(policy.pinned("x.index.test"), nullptr);
  for (const char* bad : {"*", "*.test", "", "a b"}) {
    EXPECT_EQ(policy.pin(bad, {"10.0.0.1"}).error().code(), Code::kInvalidValue) << bad;
  }
  EXPECT_EQ(policy.pin("index.test", {"10.0.0"}).error().code(), Code::kInvalidValue);
}

TEST(NetworkPolicy, ErrorsPointAtTheirPlace) {
  NetworkPolicy ports;
  ports.rules.push_back({NetworkAction::kAllow, "a.test", {{1, 2}, {3, 2}}});
  EXPECT_EQ(wrong_field(ports), "/rules/0/ports/1");
  NetworkPolicy networks{.allow_private = {"10.0.0.0/8", "a.test"}};
  EXPECT_EQ(wrong_field(networks), "/allow_private/1");
  NetworkPolicy open{.no_intercept = {"a/b"}};
  EXPECT_EQ(wrong_field(open), "/no_intercept/0");
  NetworkPolicy many;
  many.rules.assign(Policy::kMaxRules + 1, {.target = "a.test"});
  EXPECT_EQ(wrong_field(many), "/rules");
  many.rules.pop_back();
  EXPECT_EQ(wrong_field(many), "none");
}

TEST(NetworkPolicy, HeadersAreOnesThatCanBeSet) {
  auto with = [](std::string pattern, std::string name, model::HeaderValue value) {
    NetworkPolicy policy;
    policy.headers[std::move(pattern)][std::move(name)] = std::move(value);
    return wrong_field(policy);
  };
  EXPECT_EQ(with("a.test", "Authorization", {.secret = "token"}), "none");
  EXPECT_EQ(with("*.a.test", "X-Api", {.value = "one two"}), "none");
  EXPECT_EQ(with("a/b", "X", {.value = "1"}), "/headers/a~1b");
  EXPECT_EQ(with("a.test", "Host", {.value = "b.test"}), "/headers/a.test/Host");
  EXPECT_EQ(with("a.test", "transfer-Encoding", {.value = "x"}),
            "/headers/a.test/transfer-Encoding");
  EXPECT_EQ(with("a.test", "X Y", {.value = "x"}), "/headers/a.test/X Y");
  EXPECT_EQ(with("a.test", "X", {}), "/headers/a.test/X");
  EXPECT_EQ(with("a.test", "X", {.value = "1", .secret = "2"}), "/headers/a.test/X");
  EXPECT_EQ(with("a.test", "X", {.value = "1\r\nY: 2"}), "/headers/a.test/X/value");
}

TEST(NetworkPolicy, SecretsGoToNamedHosts) {
  auto with = [](model::SecretUse use) {
    NetworkPolicy policy;
    policy.secrets.push_back(std::move(use));
    return wrong_field(policy);
  };
  EXPECT_EQ(with({"TOKEN", "token", {"api.test", "*.api.test"}}), "none");
  EXPECT_EQ(with({"A=B", "token", {"api.test"}}), "/secrets/0/env");
  EXPECT_EQ(with({"TOKEN", "", {"api.test"}}), "/secrets/0/secret");
  EXPECT_EQ(with({"TOKEN", "token", {}}), "/secrets/0/hosts");
  EXPECT_EQ(with({"TOKEN", "token", {"api.test", "*"}}), "/secrets/0/hosts/1");
  EXPECT_EQ(with({"TOKEN", "token", {"10.0.0.1"}}), "/secrets/0/hosts/0");
}

TEST(NetworkPolicy, OnlyHostsWithSecretsAreOpened) {
  NetworkPolicy policy{.no_intercept = {"pinned.api.test"}};
  policy.secrets.push_back({"TOKEN", "token", {"*.api.test"}});
  policy.headers["set.test"]["X"] = {.value = "1"};
  Policy compiled = compile(policy).value();
  EXPECT_TRUE(compiled.intercepts("a.api.test"));
  EXPECT_TRUE(compiled.intercepts("set.test"));
  EXPECT_FALSE(compiled.intercepts("pinned.api.test"));
  EXPECT_FALSE(compiled.intercepts("api.test"));
}

TEST(NetworkPolicy, PrivateNetworksAreThoseNamed) {
  Policy compiled = compile(NetworkPolicy{.allow_private = {"10.1.0.0/16", "fd00::1"}}).value();
  EXPECT_TRUE(compiled.allows_private(Address::parse("10.1.2.3").value()));
  EXPECT_TRUE(compiled.allows_private(Address::parse("fd00::1").value()));
  EXPECT_FALSE(compiled.allows_private(Address::parse("10.2.0.1").value()));
  EXPECT_FALSE(Policy().allows_private(Address::parse("10.1.2.3").value()));
}

}  // namespace
}  // namespace atl::egress
