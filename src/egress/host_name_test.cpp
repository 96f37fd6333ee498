#include "egress/host_name.hpp"

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

TEST(HostName, HasOneForm) {
  EXPECT_EQ(canonical_name("API.Example.COM."), "api.example.com");
  EXPECT_EQ(canonical_name("xn--bcher-kva.example"), "xn--bcher-kva.example");
  EXPECT_EQ(canonical_name("_dmarc.example"), "_dmarc.example");
  EXPECT_EQ(canonical_name("localhost"), "localhost");
}

TEST(HostName, RefusesWhatNoHostIsCalled) {
  using namespace std::string_view_literals;
  for (std::string_view text : {""sv, "."sv, ".."sv, "a..b"sv, ".a"sv, "a b"sv, "a\0b"sv,
                                "bücher"sv, "a/b"sv, "*.a"sv, "a.."sv}) {
    EXPECT_FALSE(canonical_name(text)) << text;
  }
  EXPECT_TRUE(canonical_name(std::string(63, 'a')));
  EXPECT_FALSE(canonical_name(std::string(64, 'a')));
  std::string longest = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                        std::string(63, 'c') + "." + std::string(61, 'd');
  EXPECT_TRUE(canonical_name(longest));
  EXPECT_TRUE(canonical_name(longest + "."));
  EXPECT_FALSE(canonical_name(longest + "e"));
}

TEST(HostName, PatternsAreNamesOrAllBelow) {
  EXPECT_EQ(canonical_pattern("*"), "*");
  EXPECT_EQ(canonical_pattern("*.Example.org."), "*.example.org");
  for (const char* text : {"", "*.", "**", "a.*", "*a.b", "*.*", "*.a.*"}) {
    EXPECT_FALSE(canonical_pattern(text)) << text;
  }
}

TEST(HostName, AStarMatchesLabelsBelowAndNothingElse) {
  EXPECT_TRUE(matches("*.good.test", "a.good.test"));
  EXPECT_TRUE(matches("*.good.test", "a.b.good.test"));
  EXPECT_FALSE(matches("*.good.test", "good.test"));
  EXPECT_FALSE(matches("*.good.test", "apigood.test"));
  EXPECT_FALSE(matches("*.good.test", "x.good.test.evil.test"));
  EXPECT_TRUE(matches("good.test", "good.test"));
  EXPECT_FALSE(matches("good.test", "a.good.test"));
  EXPECT_TRUE(matches("*", "anything"));
}

}  // namespace
}  // namespace atl::egress
