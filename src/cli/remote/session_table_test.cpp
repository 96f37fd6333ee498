#include "cli/remote/session_table.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using namespace std::chrono_literals;

TEST(SessionTable, ReadsTimes) {
  auto time = parse_time("2026-01-31T12:00:01.500Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(std::chrono::floor<std::chrono::milliseconds>(time->time_since_epoch()).count(),
            1769860801500);
  for (const char* wrong :
       {"", "now", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01"}) {
    EXPECT_FALSE(parse_time(wrong)) << wrong;
  }
}

TEST(SessionTable, ShortTimes) {
  EXPECT_EQ(short_time(-5s), "0s");
  EXPECT_EQ(short_time(59s), "59s");
  EXPECT_EQ(short_time(60s), "1m");
  EXPECT_EQ(short_time(3599s), "59m");
  EXPECT_EQ(short_time(2h), "2h");
  EXPECT_EQ(short_time(49h), "2d");
}

TEST(SessionTable, OneLineASession) {
  std::vector<bodies::SessionBody> sessions(2);
  sessions[0].id = "a";
  sessions[0].template_id = "python-default";
  sessions[0].status = model::SessionState::kReady;
  sessions[0].labels = {{"k", "v"}, {"l", "w"}};
  sessions[0].created_at = "2026-01-31T12:00:00.000Z";
  sessions[0].expires_at = "2026-01-31T12:05:00.000Z";
  sessions[1].id = "b";
  sessions[1].template_id = "x";
  sessions[1].status = model::SessionState::kFailed;
  sessions[1].created_at = "2026-01-31T10:00:00.000Z";
  sessions[1].expires_at = "2026-01-31T12:05:00.000Z";
  sessions[1].ended_at = "2026-01-31T10:01:00.000Z";
  WallTime now = *parse_time("2026-01-31T12:01:30.000Z");
  EXPECT_EQ(sessions_text(sessions, now, false),
            "ID  TEMPLATE        STATUS  AGE  LEFT  LABELS\n"
            "a   python-default  ready   1m   3m    k=v l=w\n"
            "b   x               failed  2h   -\n");
  EXPECT_EQ(sessions_text({}, now, false), "ID  TEMPLATE  STATUS  AGE  LEFT  LABELS\n");
}

// A body that lacks members has their defaults.
TEST(SessionTable, ASessionWithoutTimes) {
  std::vector<bodies::SessionBody> sessions(1);
  EXPECT_EQ(sessions_text(sessions, WallTime(), false),
            "ID  TEMPLATE  STATUS    AGE  LEFT  LABELS\n"
            "              creating       -\n");
}

}  // namespace
}  // namespace atl::cli
