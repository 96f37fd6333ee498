#include "base/file_time.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(FileTime, BecomesTheBoundBeyondIt) {
  EXPECT_EQ(file_time_ns(0, 5), 5);
  EXPECT_EQ(file_time_ns(-2, 500'000'000), -1'500'000'000);
  EXPECT_EQ(file_time_ns(9'223'372'036, 854'775'807), kMost);
  EXPECT_EQ(file_time_ns(9'223'372'036, 854'775'808), kMost);
  for (std::int64_t late : {9'223'372'037, 99'999'999'999, 253'402'300'799}) {
    EXPECT_EQ(file_time_ns(late), kMost) << late;
    EXPECT_EQ(file_time_ns(-late), kLeast) << late;
  }
  EXPECT_EQ(file_time_ns(kMost, 999'999'999), kMost);
  EXPECT_EQ(file_time_ns(kLeast, 999'999'999), kLeast);
}

TEST(FileTime, GoesThereAndBack) {
  for (std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{-1'500'000'001},
        std::int64_t{1'700'000'000'123'456'789}, kMost, kLeast + 1'000'000'000}) {
    timespec time = file_timespec(ns);
    EXPECT_TRUE(time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000) << ns;
    EXPECT_EQ(file_time_ns(time.tv_sec, time.tv_nsec), ns);
  }
  EXPECT_EQ(file_timespec(kLeast).tv_sec, -9'223'372'037);
}

}  // namespace
}  // namespace atl
