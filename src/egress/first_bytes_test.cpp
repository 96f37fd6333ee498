#include "egress/first_bytes.hpp"

#include <string>

#include <gtest/gtest.h>

#include "egress/endpoint.hpp"
#include "egress/events.hpp"
#include "egress/rate.hpp"

namespace atl::egress {
namespace {

using namespace std::string_literals;

TEST(FirstBytes, SayWhatTheClientSpeaks) {
  EXPECT_EQ(speech_of("", 443), Speech::kUnknown);
  EXPECT_EQ(speech_of("\x16", 22), Speech::kTls);
  EXPECT_EQ(speech_of("x", 80), Speech::kHttp);
  for (const char* http : {"GET /", "POST http://a/", "OPTIONS *", "CONNECT a:1", "PRI * HTTP/2.0",
                           "PROPFIND /", "\r\nGET /", "\n\n\nGET /"}) {
    EXPECT_EQ(speech_of(http, 8080), Speech::kHttp) << http;
  }
  for (const char* part : {"G", "GET", "GET ", "PRI * HTTP/2", "P", "PROP", "\r\n", "\n\nGE"}) {
    EXPECT_EQ(speech_of(part, 8080), Speech::kUnknown) << part;
  }
  for (const char* other : {"SSH-2.0-x", "GETX", "GET x", "get /", "EHLO", "\r\nEHLO"}) {
    EXPECT_EQ(speech_of(other, 8080), Speech::kOpaque) << other;
  }
  EXPECT_EQ(speech_of("\x80\x2e\1\0\2"s, 443), Speech::kOldTls);
  EXPECT_EQ(speech_of("\x80\x2e\1\3"s, 443), Speech::kOldTls);
  EXPECT_EQ(speech_of("\x80\x2e"s, 443), Speech::kUnknown);
  EXPECT_EQ(speech_of("\x80\x2e\2"s, 443), Speech::kOpaque);
}

TEST(Endpoint, HasAPort) {
  auto shown = [](std::string_view text) {
    std::optional<Endpoint> one = Endpoint::parse(text, 53);
    return one ? one->address.to_string() + " " + std::to_string(one->port) : "none";
  };
  EXPECT_EQ(shown("192.0.2.1"), "192.0.2.1 53");
  EXPECT_EQ(shown("192.0.2.1:5353"), "192.0.2.1 5353");
  EXPECT_EQ(shown("2001:db8::1"), "2001:db8::1 53");
  EXPECT_EQ(shown("[2001:db8::1]:5353"), "2001:db8::1 5353");
  EXPECT_EQ(shown("[2001:db8::1]"), "2001:db8::1 53");
  for (const char* bad :
       {"", "a.test", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "[::1", "[::1]53"}) {
    EXPECT_EQ(shown(bad), "none") << bad;
  }
}

TEST(Events, EqualOnesBecomeOne) {
  Events events;
  EXPECT_TRUE(events.empty());
  for (int i = 0; i < 3; ++i) events.add({.sandbox = "a", .name = "x", .port = 1});
  events.add({.sandbox = "b", .name = "x", .port = 1});
  Reply reply = events.take();
  ASSERT_EQ(reply.refusals->size(), 2u);
  EXPECT_EQ(reply.refusals->front().count, 3u);
  EXPECT_FALSE(reply.dropped);
  EXPECT_TRUE(events.empty());
}

TEST(Events, ANoisySandboxLeavesRoomForOthers) {
  Events events;
  for (int i = 0; i < 1000; ++i) events.add({.sandbox = "a", .name = std::to_string(i)});
  events.add({.sandbox = "b", .name = "x"});
  Reply reply = events.take();
  EXPECT_EQ(reply.refusals->size(), Events::kMaxOfSandbox + 1);
  EXPECT_EQ(reply.dropped, 1000 - Events::kMaxOfSandbox);
  EXPECT_EQ(reply.refusals->back().sandbox, "b");
}

TEST(Rate, IsSoManyASecond) {
  Rate rate(10, 5);
  auto now = Rate::Time() + std::chrono::hours(1);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(rate.take(now));
  EXPECT_FALSE(rate.take(now));
  now += std::chrono::milliseconds(101);
  EXPECT_TRUE(rate.take(now));
  EXPECT_FALSE(rate.take(now));
  now += std::chrono::hours(1);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(rate.take(now));
  EXPECT_FALSE(rate.take(now));
}

}  // namespace
}  // namespace atl::egress
