#include "control/trouble.hpp"

#include <gtest/gtest.h>

namespace atl::control {
namespace {

TEST(Trouble, IsSaidWhenItBeginsOnceAMinuteAndWhenItIsOver) {
  using std::chrono::seconds;
  Trouble trouble;
  Trouble::Time start{seconds(1000)};
  EXPECT_EQ(trouble.over(), 0u);
  EXPECT_TRUE(trouble.failed(start));
  for (int i = 1; i < 60; ++i) EXPECT_FALSE(trouble.failed(start + seconds(i))) << i;
  EXPECT_TRUE(trouble.failed(start + seconds(60)));
  EXPECT_FALSE(trouble.failed(start + seconds(61)));
  EXPECT_EQ(trouble.times(), 62u);
  EXPECT_EQ(trouble.over(), 62u);
  EXPECT_EQ(trouble.over(), 0u);
  EXPECT_TRUE(trouble.failed(start + seconds(62))) << "it begins anew";
}

}  // namespace
}  // namespace atl::control
