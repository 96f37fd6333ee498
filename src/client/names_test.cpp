#include "client/names.hpp"

#include <gtest/gtest.h>

namespace atl::client {
namespace {

const std::vector<std::string> kIds{"01aaaa", "01aabb", "02cc"};

TEST(MatchPrefix, TakesWhatOnlyOneHas) {
  EXPECT_EQ(match_prefix("session", "02", kIds).value_or(""), "02cc");
  EXPECT_EQ(match_prefix("session", "01aab", kIds).value_or(""), "01aabb");
  EXPECT_EQ(match_prefix("session", "01aaaa", kIds).value_or(""), "01aaaa");
}

TEST(MatchPrefix, AWholeIdWinsOverLongerOnes) {
  std::vector<std::string> ids{"abc", "ab"};
  EXPECT_EQ(match_prefix("session", "ab", ids).value_or(""), "ab");
}

TEST(MatchPrefix, NamesTheCandidates) {
  Result<std::string> found = match_prefix("session", "01aa", kIds);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Code::kInvalidArgument);
  EXPECT_EQ(found.error().message(), "\"01aa\" is the beginning of 2 sessions: 01aaaa, 01aabb");
  std::vector<std::string> many;
  for (char c = 'a'; c <= 'z'; ++c) many.push_back(std::string("x") + c);
  EXPECT_TRUE(match_prefix("session", "x", many).error().message().ends_with("xh, …"));
}

TEST(MatchPrefix, NothingIsNoBeginning) {
  for (const char* typed : {"", "03", "01aaaaa"}) {
    Result<std::string> found = match_prefix("session", typed, kIds);
    ASSERT_FALSE(found) << typed;
    EXPECT_EQ(found.error().code(), Code::kNotFound) << typed;
  }
}

}  // namespace
}  // namespace atl::client
