#include "cli/core/units.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using namespace std::chrono_literals;

TEST(Units, Sizes) {
  EXPECT_EQ(*parse_size("0"), 0u);
  EXPECT_EQ(*parse_size("1048576"), 1u << 20);
  EXPECT_EQ(*parse_size("10b"), 10u);
  EXPECT_EQ(*parse_size("512k"), 512u << 10);
  EXPECT_EQ(*parse_size("256m"), 256u << 20);
  EXPECT_EQ(*parse_size("256MB"), 256u << 20);
  EXPECT_EQ(*parse_size("256MiB"), 256u << 20);
  EXPECT_EQ(*parse_size("1.5g"), 1536ull << 20);
  EXPECT_EQ(*parse_size("2T"), 2ull << 40);
  for (const char* bad : {"", "m", "-1", "-1m", "1x", "1mm", "1 m", "1e3", "0x10", "1bb", "1.2.3",
                          "99999999999999999999t", "999999999999999999999", "inf", "nan", "+1"}) {
    EXPECT_FALSE(parse_size(bad)) << bad;
  }
}

TEST(Units, Durations) {
  EXPECT_EQ(*parse_duration("10"), 10s);
  EXPECT_EQ(*parse_duration("10s"), 10s);
  EXPECT_EQ(*parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("1h30m"), 90min);
  EXPECT_EQ(*parse_duration("1m30s"), 90s);
  EXPECT_EQ(*parse_duration("1d"), 24h);
  EXPECT_EQ(*parse_duration("0"), 0s);
  EXPECT_EQ(*parse_duration("0s"), 0s);
  for (const char* bad :
       {"", "s", "-1s", "1x", "1m30", "1s s", "0.1ms", "99999999999999999999d", "1 s"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Units, Numbers) {
  EXPECT_EQ(*parse_count("64"), 64u);
  EXPECT_EQ(*parse_count("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", "-1", "1.5", "a", "1a", "18446744073709551616"}) {
    EXPECT_FALSE(parse_count(bad)) << bad;
  }
  EXPECT_EQ(*parse_milli("0.5"), 500u);
  EXPECT_EQ(*parse_milli("2"), 2000u);
  EXPECT_EQ(*parse_milli(".25"), 250u);
  for (const char* bad : {"", "-0.5", "x", "1,5", "."}) EXPECT_FALSE(parse_milli(bad)) << bad;
}

TEST(Units, WritesWhatItReads) {
  EXPECT_EQ(format_size(0), "0b");
  EXPECT_EQ(format_size(4ull << 20), "4m");
  EXPECT_EQ(format_size((1ull << 30) + (1ull << 29)), "1.5g");
  EXPECT_EQ(format_size(1023), "1023b");
  EXPECT_EQ(format_milli(10), "0.01");
  EXPECT_EQ(format_milli(500), "0.5");
  EXPECT_EQ(format_milli(2000), "2");
}

}  // namespace
}  // namespace atl::cli
