#include "control/preview_tokens.hpp"

#include <gtest/gtest.h>

namespace atl::control {
namespace {

using Kind = PreviewTokens::Kind;
using Verdict = PreviewTokens::Verdict;
using std::chrono::seconds;

const PreviewGrant kGrant{.session = "s1", .port = 8000, .tenant = "t", .key_id = "k1"};

// covers: C42
TEST(PreviewTokens, OpenOneDoorAndNoOther) {
  ManualClock clock;
  PreviewTokens tokens(clock);
  std::string token = tokens.sign(Kind::kLink, kGrant, clock.wall() + seconds(300));
  EXPECT_EQ(tokens.check(Kind::kLink, kGrant, token), Verdict::kValid);
  EXPECT_EQ(PreviewTokens::key_of(token), "k1");
  EXPECT_EQ(tokens.check(Kind::kCookie, kGrant, token), Verdict::kInvalid);
  for (const PreviewGrant& other :
       {PreviewGrant{"s2", 8000, "t", "k1"}, PreviewGrant{"s1", 8001, "t", "k1"},
        PreviewGrant{"s1", 8000, "u", "k1"}, PreviewGrant{"s1", 8000, "t", "k2"},
        PreviewGrant{"s1", 8000, "t", ""}}) {
    EXPECT_EQ(tokens.check(Kind::kLink, other, token), Verdict::kInvalid);
  }
  EXPECT_EQ(PreviewTokens(clock).check(Kind::kLink, kGrant, token), Verdict::kInvalid);
}

// covers: C42
TEST(PreviewTokens, EndInTimeAndCannotBeProlonged) {
  ManualClock clock;
  PreviewTokens tokens(clock);
  std::string token = tokens.sign(Kind::kLink, kGrant, clock.wall() + seconds(300));
  clock.advance(seconds(299));
  EXPECT_EQ(tokens.check(Kind::kLink, kGrant, token), Verdict::kValid);
  clock.advance(seconds(1));
  EXPECT_EQ(tokens.check(Kind::kLink, kGrant, token), Verdict::kExpired);
  EXPECT_EQ(tokens.check(Kind::kLink, kGrant, "9" + token), Verdict::kInvalid);
}

TEST(PreviewTokens, NonsenseIsRefused) {
  ManualClock clock;
  PreviewTokens tokens(clock);
  std::string token = tokens.sign(Kind::kLink, kGrant, clock.wall() + seconds(300));
  std::string changed = token;
  changed.back() = changed.back() == '0' ? '1' : '0';
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string("1.k1."), "x" + token,
        token + "0", token.substr(0, token.size() - 1), changed, std::string(100'000, '.'),
        std::string("99999999999999999999999.k1.00")}) {
    EXPECT_EQ(tokens.check(Kind::kLink, kGrant, bad), Verdict::kInvalid) << bad;
  }
  EXPECT_FALSE(PreviewTokens::key_of("nothing"));
  EXPECT_FALSE(PreviewTokens::key_of("1.2"));
}

}  // namespace
}  // namespace atl::control
