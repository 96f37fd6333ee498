#include "observe/failure_streak.hpp"

#include <gtest/gtest.h>

namespace atl::log {
namespace {

TEST(FailureStreak, IsLoggedWhenItBeginsOnceAMinuteAndWhenItEnds) {
  using std::chrono::seconds;
  FailureStreak streak;
  FailureStreak::Time start{seconds(1000)};
  EXPECT_EQ(streak.end(), 0u);
  EXPECT_TRUE(streak.failed(start));
  for (int i = 1; i < 60; ++i) EXPECT_FALSE(streak.failed(start + seconds(i))) << i;
  EXPECT_TRUE(streak.failed(start + seconds(60)));
  EXPECT_FALSE(streak.failed(start + seconds(61)));
  EXPECT_EQ(streak.count(), 62u);
  EXPECT_EQ(streak.end(), 62u);
  EXPECT_EQ(streak.end(), 0u);
  EXPECT_TRUE(streak.failed(start + seconds(62))) << "a new streak";
}

}  // namespace
}  // namespace atl::log
