#include "observe/log.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace atl::log {
namespace {

using Time = std::chrono::system_clock::time_point;

// covers: C39
TEST(Log, LinesAreJsonWithFixedFields) {
  std::string line =
      format(Level::kInfo, "sandbox_created",
             {kv("id", std::string("x")), kv("ms", 12), kv("ok", true), kv("ratio", 0.5)},
             Time(std::chrono::milliseconds(1'700'000'000'007)));
  EXPECT_EQ(line, R"({"timestamp":"2023-11-14T22:13:20.007Z","level":"info","service":"atoll",)"
                  R"("event":"sandbox_created","id":"x","ms":12,"ok":true,"ratio":0.5})"
                  "\n");
}

TEST(Log, HostileTextCannotBreakTheLineOrTheTerminal) {
  std::string nasty("\"}\n{\"x\":1}\x1b[2J\x7f\xc2\x9b\xff\0\\\xc3\xa4", 22);
  std::string line = format(Level::kWarn, "e", {kv("te\"xt", nasty)}, Time());
  EXPECT_TRUE(line.ends_with(R"(,"te\"xt":"\"}\n{\"x\":1}\u001b[2J\u007f\u009b)"
                             "\xef\xbf\xbd"
                             R"(\u0000\\ä"})"
                             "\n"))
      << line;
}

TEST(Log, LinesAreBounded) {
  std::string huge(1'000'000, 'x');
  std::string line =
      format(Level::kWarn, "e",
             {kv("a", huge), kv("b", huge), kv("c", huge), kv("d", huge), kv("e", huge),
              kv("f", huge), kv("g", huge), kv("h", huge), kv("i", huge)},
             Time());
  EXPECT_LT(line.size(), 9000u);
  EXPECT_TRUE(line.ends_with("…\",\"cut\":true}\n")) << line.substr(line.size() - 50);
}

TEST(Log, NumbersThatJsonDoesNotKnow) {
  std::string line =
      format(Level::kWarn, "e", {kv("x", std::numeric_limits<double>::infinity())}, Time());
  EXPECT_TRUE(line.ends_with("\"x\":null}\n")) << line;
}

TEST(Log, LevelsFilter) {
  std::string seen;
  set_sink([&](std::string_view line) { seen += line; });
  set_level(Level::kWarn);
  info("hidden");
  warn("shown");
  set_level(Level::kInfo);
  set_sink(nullptr);
  EXPECT_EQ(seen.find("hidden"), std::string::npos);
  EXPECT_NE(seen.find("shown"), std::string::npos);
  Level parsed{};
  EXPECT_TRUE(level_from_name("debug", parsed));
  EXPECT_EQ(parsed, Level::kDebug);
  EXPECT_FALSE(level_from_name("loud", parsed));
}

}  // namespace
}  // namespace atl::log
