#include "cli/run/network_options.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "model/ports.hpp"

namespace atl::cli {
namespace {

using model::NetworkAction;

// "allow api.example.com 443", or the sentence.
std::string read(std::string_view text) {
  Result<model::NetworkRule> rule = parse_network_rule(text, NetworkAction::kAllow);
  if (!rule) return rule.error().message();
  std::string all = rule->target;
  for (const model::PortRange& range : rule->ports) all += " " + model::ports_text(range);
  return all;
}

std::string fault(const NetworkOptions& options) {
  Result<AskedNetwork> asked = parse_network(options);
  return asked ? "" : asked.error().message();
}

TEST(NetworkOptions, Rules) {
  EXPECT_EQ(read("example.org"), "example.org");
  EXPECT_EQ(read("api.example.org:443"), "api.example.org 443");
  EXPECT_EQ(read("*.example.org:8000-8999"), "*.example.org 8000-8999");
  EXPECT_EQ(read("*:443"), "* 443");
  EXPECT_EQ(read("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(read("10.0.0.0/8:22"), "10.0.0.0/8 22");
  EXPECT_EQ(read("192.0.2.1:80"), "192.0.2.1 80");
  EXPECT_EQ(read("2001:db8::/32"), "2001:db8::/32");
  EXPECT_EQ(read("[2001:db8::1]:443"), "2001:db8::1 443");
  EXPECT_EQ(read("[2001:db8::1]"), "2001:db8::1");
}

TEST(NetworkOptions, WrongRules) {
  for (const char* text : {"", ":443", "a b", "a:", "a:x", "a:70000", "a:2-1", "[2001:db8::1",
                           "[2001:db8::1]443", "10.0.0.1/8", "*.", "a.*.b", "https://a", "a/b"}) {
    EXPECT_FALSE(parse_network_rule(text, NetworkAction::kAllow)) << text;
  }
}

TEST(NetworkOptions, OnePolicy) {
  Result<AskedNetwork> asked = parse_network({.net = false,
                                              .allow = {"a.test,b.test:443", "*.c.test"},
                                              .deny = {"x.c.test"},
                                              .secrets = {},
                                              .secret_hosts = {}});
  ASSERT_TRUE(asked) << asked.error().message();
  EXPECT_EQ(asked->policy.default_, NetworkAction::kDeny);
  ASSERT_EQ(asked->policy.rules.size(), 4u);
  EXPECT_EQ(asked->policy.rules[0].action, NetworkAction::kDeny);
  EXPECT_EQ(asked->policy.rules[3].target, "*.c.test");
  EXPECT_EQ(parse_network({.net = true})->policy.default_, NetworkAction::kAllow);
  EXPECT_FALSE(model::allows_anything(parse_network({})->policy));
}

TEST(NetworkOptions, Secrets) {
  ::setenv("NETWORK_OPTIONS_TEST", "hunter2", 1);
  NetworkOptions options{.secrets = {"TOKEN=@env:NETWORK_OPTIONS_TEST"},
                         .secret_hosts = {"TOKEN=api.test,*.b.test"}};
  Result<AskedNetwork> asked = parse_network(options);
  ASSERT_TRUE(asked) << asked.error().message();
  EXPECT_EQ(asked->secrets.at("TOKEN"), "hunter2");
  ASSERT_EQ(asked->policy.secrets.size(), 1u);
  EXPECT_EQ(asked->policy.secrets[0].hosts, (std::vector<std::string>{"api.test", "*.b.test"}));
  ASSERT_EQ(asked->policy.rules.size(), 2u);
  EXPECT_EQ(asked->policy.rules[0].ports[0].first, 443);
}

TEST(NetworkOptions, Faults) {
  ::setenv("NETWORK_OPTIONS_TEST", "hunter2", 1);
  EXPECT_EQ(fault({.allow = {"a.test,b c"}}).find("--allow-net b c: "), 0u);
  EXPECT_EQ(fault({.deny = {"a.test,"}}), "--deny-net : a name is missing");
  EXPECT_NE(fault({.net = true, .allow = {"a"}}), "");
  EXPECT_EQ(fault({.secrets = {"TOKEN=hunter2"}}).find("hunter2"), std::string::npos);
  EXPECT_EQ(fault({.secrets = {"hunter2"}}), "--secret: write ENV=@env:VAR or ENV=@file:PATH");
  EXPECT_EQ(fault({.secrets = {"A=@env:NETWORK_OPTIONS_TEST_NOT_SET"}}),
            "--secret A: the variable NETWORK_OPTIONS_TEST_NOT_SET is not set");
  std::string given = "A=@env:NETWORK_OPTIONS_TEST";
  EXPECT_EQ(fault({.secrets = {given}}),
            "--secret A: name the hosts that get it: --secret-host A=HOST");
  EXPECT_EQ(fault({.secrets = {given, given}}), "--secret A: is given twice");
  EXPECT_EQ(fault({.secret_hosts = {"A=a.test"}}),
            "--secret-host A: there is no --secret of this name");
  for (const char* host : {"*", "10.0.0.1", "a b", "", "a:443"}) {
    EXPECT_NE(fault({.secrets = {given}, .secret_hosts = {"A=" + std::string(host)}}), "") << host;
  }
}

}  // namespace
}  // namespace atl::cli
