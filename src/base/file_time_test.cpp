#include "base/file_time.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

constexpr std::int64_t kMost = 9'223'372'035'000'000'000;

TEST(FileTime, BecomesTheBoundBeyondIt) {
  EXPECT_EQ(file_time_ns(0, 5), 5);
  EXPECT_EQ(file_time_ns(-2, 500'000'000), -1'500'000'000);
  EXPECT_EQ(file_time_ns(9'223'372'035, 999'999'999), kMost + 999'999'999);
  for (std::int64_t late : {std::int64_t{9'223'372'036}, std::int64_t{99'999'999'999}, INT64_MAX}) {
    EXPECT_EQ(file_time_ns(late), kMost) << late;
    EXPECT_EQ(file_time_ns(-late), -kMost) << late;
  }
  EXPECT_EQ(file_time_ns(INT64_MAX, 999'999'999), kMost + 999'999'999);
  EXPECT_EQ(file_time_ns(INT64_MIN, 999'999'999), -kMost + 999'999'999);
}

TEST(FileTime, GoesThereAndBack) {
  for (std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{-1'500'000'001},
        std::int64_t{1'700'000'000'123'456'789}, kMost, -kMost}) {
    timespec time = file_timespec(ns);
    EXPECT_TRUE(time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000) << ns;
    EXPECT_EQ(file_time_ns(time.tv_sec, time.tv_nsec), ns);
  }
  EXPECT_EQ(file_timespec(INT64_MIN).tv_sec, -9'223'372'037);
}

}  // namespace
}  // namespace atl
