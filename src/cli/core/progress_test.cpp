#include "cli/core/progress.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "cli/core/help.hpp"

namespace atl::cli {
namespace {

using namespace std::chrono_literals;

TEST(Progress, FitsTheLine) {
  std::string half = progress_line("importing", 50 << 20, 100 << 20, 80);
  EXPECT_LT(columns(half), 80u);
  EXPECT_NE(half.find(" 50%  50m of 100m"), std::string::npos) << half;
  EXPECT_LE(std::ranges::count(half, '-') - std::ranges::count(half, '#'), 1) << half;
  EXPECT_GE(std::ranges::count(half, '-'), std::ranges::count(half, '#')) << half;
  EXPECT_NE(progress_line("importing", 200, 100, 80).find("100%"), std::string::npos);
  EXPECT_EQ(progress_line("importing", 3 << 20, 0, 80), "importing  3m");
}

TEST(Progress, WaitsBeforeTheFirstLineAndBetween) {
  ManualClock clock;
  Progress progress("sending", false, clock);
  EXPECT_FALSE(progress.is_due());
  clock.advance(299ms);
  EXPECT_FALSE(progress.is_due());
  clock.advance(1ms);
  EXPECT_TRUE(progress.is_due());
}

}  // namespace
}  // namespace atl::cli
