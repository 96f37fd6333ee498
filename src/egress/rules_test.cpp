#include "egress/rules.hpp"

#include <array>

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

Rule rule(Action action, const char* pattern, std::vector<PortRange> ports = {}) {
  return {.action = action, .target = std::string(pattern), .ports = std::move(ports)};
}

Rule network(Action action, const char* text, std::vector<PortRange> ports = {}) {
  return {.action = action, .target = Network::parse(text).value(), .ports = std::move(ports)};
}

bool allows(const Rules& rules, std::string_view name, std::uint16_t port = 443) {
  return rules.judge(name, port).action == Action::kAllow;
}

bool allows_address(const Rules& rules, const char* text, std::uint16_t port = 443) {
  return rules.judge(Address::parse(text).value(), port).action == Action::kAllow;
}

TEST(Rules, TheFirstThatMatchesDecides) {
  Rules rules({rule(Action::kDeny, "secret.good.test"), rule(Action::kAllow, "*.good.test"),
               rule(Action::kDeny, "*.test"), rule(Action::kAllow, "*")},
              Action::kDeny);
  EXPECT_FALSE(allows(rules, "secret.good.test"));
  EXPECT_TRUE(allows(rules, "api.good.test"));
  EXPECT_FALSE(allows(rules, "good.test"));
  EXPECT_TRUE(allows(rules, "example.org"));
  EXPECT_EQ(rules.judge("good.test", 443).rule, 2u);
  Rules other({rule(Action::kAllow, "*.good.test"), rule(Action::kDeny, "secret.good.test")},
              Action::kDeny);
  EXPECT_TRUE(allows(other, "secret.good.test"));
}

TEST(Rules, WithoutAMatchTheDefaultDecides) {
  Rules deny({}, Action::kDeny), allow({}, Action::kAllow);
  EXPECT_FALSE(allows(deny, "a.test"));
  EXPECT_TRUE(allows(allow, "a.test"));
  EXPECT_EQ(allow.judge("a.test", 1).rule, Verdict::kDefault);
  EXPECT_FALSE(allows_address(deny, "8.8.8.8"));
  EXPECT_TRUE(allows_address(allow, "8.8.8.8"));
}

TEST(Rules, PortsNarrowARule) {
  Rules rules(
      {rule(Action::kAllow, "a.test", {{443, 443}, {8000, 8080}}),
       rule(Action::kDeny, "a.test", {{22, 22}}), rule(Action::kAllow, "a.test", {{1, 99}})},
      Action::kDeny);
  EXPECT_TRUE(allows(rules, "a.test", 443));
  EXPECT_TRUE(allows(rules, "a.test", 8000));
  EXPECT_TRUE(allows(rules, "a.test", 8080));
  EXPECT_FALSE(allows(rules, "a.test", 8081));
  EXPECT_FALSE(allows(rules, "a.test", 22));
  EXPECT_TRUE(allows(rules, "a.test", 23));
}

TEST(Rules, AddressesAreForNetworksAndStars) {
  Rules rules(
      {network(Action::kDeny, "10.1.0.0/16"), network(Action::kAllow, "10.0.0.0/8"),
       network(Action::kAllow, "2001:db8::/32", {{80, 80}}), rule(Action::kAllow, "a.test")},
      Action::kDeny);
  EXPECT_FALSE(allows_address(rules, "10.1.2.3"));
  EXPECT_TRUE(allows_address(rules, "10.2.2.3"));
  EXPECT_TRUE(allows_address(rules, "::ffff:10.2.2.3"));
  EXPECT_TRUE(allows_address(rules, "2001:db8::1", 80));
  EXPECT_FALSE(allows_address(rules, "2001:db8::1", 81));
  EXPECT_FALSE(allows_address(rules, "192.0.2.1"));
  EXPECT_FALSE(allows(rules, "b.test"));  // networks are not for names
  Rules all({rule(Action::kAllow, "*")}, Action::kDeny);
  EXPECT_TRUE(allows_address(all, "192.0.2.1"));
}

TEST(Rules, NamesOfWhichAnyPortIsAllowedAreResolved) {
  Rules rules({rule(Action::kDeny, "no.good.test"), rule(Action::kAllow, "*.good.test", {{22, 22}}),
               rule(Action::kDeny, "half.test", {{1, 80}}), rule(Action::kAllow, "half.test")},
              Action::kDeny);
  EXPECT_FALSE(rules.may_resolve("no.good.test"));
  EXPECT_TRUE(rules.may_resolve("a.good.test"));
  EXPECT_TRUE(rules.may_resolve("half.test"));
  EXPECT_FALSE(rules.may_resolve("good.test"));
  Rules open({rule(Action::kDeny, "evil.test")}, Action::kAllow);
  EXPECT_TRUE(open.may_resolve("good.test"));
  EXPECT_FALSE(open.may_resolve("evil.test"));
}

// Compared with a linear search.
TEST(Rules, TenThousandDecideAsOneByOne) {
  std::vector<Rule> list;
  for (unsigned i = 0; i < 10'000; ++i) {
    std::string name = "h" + std::to_string(i * 7919 % 500) + (i % 3 == 0 ? ".a.test" : ".test");
    std::string pattern = i % 5 == 0 ? "*." + name : name;
    auto port = static_cast<std::uint16_t>(i % 7 * 100);
    std::vector<PortRange> ports;
    if (i % 4 != 0) ports.push_back({port, static_cast<std::uint16_t>(port + 150)});
    list.push_back({i % 2 == 0 ? Action::kAllow : Action::kDeny, pattern, ports});
  }
  Rules rules(list, Action::kDeny);
  for (unsigned i = 0; i < 500; ++i) {
    std::string name =
        (i % 3 == 0 ? "x.h" : "h") + std::to_string(i) + (i % 2 == 0 ? ".a.test" : ".test");
    for (std::uint16_t port : std::to_array<std::uint16_t>({0, 99, 250, 443, 760})) {
      std::size_t expected = Verdict::kDefault;
      for (std::size_t at = 0; at < list.size() && expected == Verdict::kDefault; ++at) {
        const auto& pattern = std::get<std::string>(list[at].target);
        bool below = pattern.starts_with("*.") && name.ends_with(pattern.substr(1)) &&
                     name.size() > pattern.size() - 1;
        bool fits = list[at].ports.empty() ||
                    (list[at].ports[0].first <= port && port <= list[at].ports[0].last);
        if ((below || pattern == name) && fits) expected = at;
      }
      ASSERT_EQ(rules.judge(name, port).rule, expected) << name << ":" << port;
    }
  }
}

}  // namespace
}  // namespace atl::egress
