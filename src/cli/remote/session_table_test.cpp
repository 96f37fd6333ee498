#include "cli/remote/session_table.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

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
  auto body = codec::parse(R"({"sessions":[
    {"id":"a","template_id":"python-default","status":"ready","labels":{"k":"v","l":"w"},
     "created_at":"2026-01-31T12:00:00.000Z","expires_at":"2026-01-31T12:05:00.000Z","ended_at":null},
    {"id":"b","template_id":"x","status":"failed","labels":{},
     "created_at":"2026-01-31T10:00:00.000Z","expires_at":"2026-01-31T12:05:00.000Z",
     "ended_at":"2026-01-31T10:01:00.000Z"}, 7]})")
                  .value();
  WallTime now = *parse_time("2026-01-31T12:01:30.000Z");
  EXPECT_EQ(sessions_text(body, now, false),
            "ID  TEMPLATE        STATUS  AGE  LEFT  LABELS\n"
            "a   python-default  ready   1m   3m    k=v l=w\n"
            "b   x               failed  2h   -\n");
  EXPECT_EQ(sessions_text(boost::json::value(), now, false),
            "ID  TEMPLATE  STATUS  AGE  LEFT  LABELS\n");
}

TEST(SessionTable, ABodyThatLacksFields) {
  for (const char* text : {"null", "[]", "{}", R"({"sessions":null})", R"({"sessions":[{},7]})"}) {
    boost::json::value body = codec::parse(text).value();
    EXPECT_TRUE(session_ids(body).empty()) << text;
    EXPECT_FALSE(has_more_sessions(body)) << text;
  }
  boost::json::value body =
      codec::parse(R"({"sessions":[{"id":"a"},{},{"id":"b"}],"next_cursor":"b"})").value();
  EXPECT_EQ(session_ids(body), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(has_more_sessions(body));
}

}  // namespace
}  // namespace atl::cli
