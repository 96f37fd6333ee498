#include "egress/byte_rate.hpp"

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

using namespace std::chrono_literals;
constexpr ByteRate::Time kStart{1h};

// Passes all there is room for, whenever it should be asked again, for that long.
std::uint64_t passed_in(ByteRate& rate, std::chrono::seconds time) {
  std::uint64_t passed = 0;
  for (ByteRate::Time now = kStart; now < kStart + time;) {
    std::size_t room = rate.room(now);
    rate.spend(room);
    passed += room;
    now += room > 0 ? 1ms : rate.wait();
  }
  return passed;
}

TEST(ByteRate, WithoutALimitEverythingPasses) {
  ByteRate rate;
  EXPECT_EQ(rate.room(kStart), SIZE_MAX);
  rate.spend(UINT64_MAX);
  EXPECT_EQ(rate.room(kStart), SIZE_MAX);
}

TEST(ByteRate, HoldsOverTime) {
  for (std::uint64_t per_second : {1000u, 100'000u, 100'000'000u}) {
    ByteRate rate;
    rate.limit(per_second);
    std::uint64_t passed = passed_in(rate, 100s);
    EXPECT_GE(passed, 99 * per_second) << per_second;
    EXPECT_LE(passed, 101 * per_second + 4096) << per_second;
  }
}

TEST(ByteRate, TakesBackWhatPassedTooMuch) {
  ByteRate rate;
  rate.limit(100'000);
  EXPECT_GT(rate.room(kStart), 0u);
  rate.spend(500'000);
  EXPECT_EQ(rate.room(kStart + 4s), 0u);
  EXPECT_GT(rate.room(kStart + 6s), 0u);
}

TEST(ByteRate, ALongSilenceIsNoCredit) {
  ByteRate rate;
  rate.limit(100'000);
  EXPECT_GT(rate.room(kStart), 0u);
  EXPECT_LE(rate.room(kStart + 1h), 10'000u);
}

TEST(ByteRate, ALimitThatEndsOrBeginsHoldsAtOnce) {
  ByteRate rate;
  rate.limit(1000);
  rate.spend(1'000'000);
  EXPECT_EQ(rate.room(kStart + 1s), 4096u);  // the first question begins
  rate.spend(1'000'000);
  EXPECT_EQ(rate.room(kStart + 2s), 0u);
  EXPECT_LE(rate.wait(), 100ms);
  rate.limit(0);
  EXPECT_EQ(rate.room(kStart + 2s), SIZE_MAX);
}

}  // namespace
}  // namespace atl::egress
