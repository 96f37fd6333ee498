#include "backends/opensandbox/events.hpp"

#include <gtest/gtest.h>

namespace atl::backends::opensandbox {
namespace {

constexpr std::string_view kStream =
    "{\"type\":\"init\",\"text\":\"id\",\"timestamp\":1}\n\n"
    "{\"type\":\"stdout\",\"text\":\"größe\\u0000\",\"timestamp\":2}\n\n"
    "{\"type\":\"error\",\"timestamp\":3,\"error\":{\"ename\":\"CommandExecError\",\"evalue\":"
    "\"3\","
    "\"traceback\":[\"exit status 3\"]}}\n\n";

void expect_stream(const std::vector<StreamEvent>& events) {
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].type, "init");
  EXPECT_EQ(events[1].text, std::string("größe\0", 8));
  EXPECT_EQ(events[2].error_name, "CommandExecError");
  EXPECT_EQ(events[2].error_value, "3");
}

TEST(OpenSandboxEvents, ReadsBareObjects) {
  EventReader reader;
  Result<std::vector<StreamEvent>> events = reader.feed(kStream);
  ASSERT_TRUE(events);
  expect_stream(*events);
}

TEST(OpenSandboxEvents, PiecesMayFallAnywhere) {
  for (std::size_t size : {1u, 2u, 7u, 64u}) {
    EventReader reader;
    std::vector<StreamEvent> all;
    for (std::size_t at = 0; at < kStream.size(); at += size) {
      Result<std::vector<StreamEvent>> events = reader.feed(kStream.substr(at, size));
      ASSERT_TRUE(events);
      for (StreamEvent& one : *events) all.push_back(std::move(one));
    }
    expect_stream(all);
  }
}

TEST(OpenSandboxEvents, KnowsServerSentEventsAsWell) {
  EventReader reader;
  auto events = reader.feed(
      ": a comment\r\nevent: message\r\nid: 1\r\nretry: 5\r\n"
      "data: "
      "{\"type\":\"ping\"}\r\n\r\ndata:{\"type\":\"stderr\",\"text\":\"x\",\"more\":[1]}\n\n");
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[1].text, "x");
}

TEST(OpenSandboxEvents, RefusesWhatIsNoEvent) {
  for (std::string_view bytes : {"hello\n", "{}\n", "[1]\n", "{\"type\":1}\n", "{\"type\":\"a\"\n",
                                 "{\"type\":\"stdout\",\"text\":{}}\n"}) {
    EventReader reader;
    auto events = reader.feed(bytes);
    ASSERT_FALSE(events) << bytes;
    EXPECT_EQ(events.error().code(), Code::kProtocol);
  }
}

TEST(OpenSandboxEvents, ALineHasALimit) {
  EventReader reader;
  std::string piece(8u << 20, 'x');
  Result<std::vector<StreamEvent>> fed;
  for (int i = 0; i < 9 && fed; ++i) fed = reader.feed(piece);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code(), Code::kTooLarge);
}

}  // namespace
}  // namespace atl::backends::opensandbox
