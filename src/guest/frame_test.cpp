#include "guest/frame.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace atl::guest {
namespace {

std::string frame(FrameHeader header, std::string_view payload) {
  header.length = static_cast<std::uint32_t>(payload.size());
  auto head = encode_header(header);
  return std::string(head.data(), head.size()).append(payload);
}

// Feeds `bytes` in pieces of `step` and collects payloads; nullopt after an error.
std::optional<std::vector<std::string>> feed(std::string_view bytes, std::size_t step) {
  FrameReader reader;
  std::vector<std::string> payloads;
  while (!bytes.empty()) {
    auto room = reader.prepare();
    std::size_t size = std::min({step, bytes.size(), room.size()});
    EXPECT_GT(size, 0u);
    std::copy_n(bytes.data(), size, room.data());
    reader.commit(size);
    bytes.remove_prefix(size);
    for (;;) {
      auto next = reader.next();
      if (!next) return std::nullopt;
      if (!*next) break;
      payloads.emplace_back((*next)->payload);
    }
  }
  return payloads;
}

TEST(Frame, HeaderRoundTrip) {
  FrameHeader header{.length = 77, .channel = 0xdeadbeef, .type = FrameType::kData, .stream = 2};
  auto bytes = encode_header(header);
  auto back = decode_header({bytes.data(), bytes.size()});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->length, 77u);
  EXPECT_EQ(back->channel, 0xdeadbeefu);
  EXPECT_EQ(back->type, FrameType::kData);
  EXPECT_EQ(back->stream, 2);
}

TEST(Frame, RefusesMalformedHeaders) {
  FrameHeader good{.length = 1, .channel = 1, .type = FrameType::kData, .stream = 1};
  auto check = [&](std::size_t at, char value) {
    auto bytes = encode_header(good);
    bytes[at] = value;
    auto result = decode_header({bytes.data(), bytes.size()});
    return result ? Code::kOk : result.error().code();
  };
  EXPECT_EQ(check(0, 2), Code::kOk);
  EXPECT_EQ(check(3, 1), Code::kProtocol);  // 16 MiB
  EXPECT_EQ(check(8, 0), Code::kProtocol);  // type
  EXPECT_EQ(check(8, 12), Code::kProtocol);
  EXPECT_EQ(check(8, -1), Code::kProtocol);
  EXPECT_EQ(check(9, 4), Code::kProtocol);   // stream
  EXPECT_EQ(check(10, 1), Code::kProtocol);  // zero bytes
  EXPECT_EQ(check(11, 1), Code::kProtocol);
  EXPECT_FALSE(decode_header("short"));
}

TEST(FrameReader, SplitsAnyCutOfTheStream) {
  std::string big(kMaxPayload, 'x');
  std::string bytes = frame({.type = FrameType::kPing}, "") +
                      frame({.channel = 3, .type = FrameType::kData, .stream = 1}, "hello") +
                      frame({.channel = 4, .type = FrameType::kData}, big) +
                      frame({.channel = 4, .type = FrameType::kData}, big) +
                      frame({.channel = 5, .type = FrameType::kClose}, "end");
  for (std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, bytes.size()}) {
    auto payloads = feed(bytes, step);
    ASSERT_TRUE(payloads);
    EXPECT_EQ(*payloads, (std::vector<std::string>{"", "hello", big, big, "end"}));
  }
}

TEST(FrameReader, FailsOnGarbageAndKeepsFailing) {
  FrameReader reader;
  auto room = reader.prepare();
  std::fill_n(room.data(), 100, '\xff');
  reader.commit(100);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(FrameReader, NothingBeforeTheFirstByte) {
  FrameReader reader;
  auto next = reader.next();
  ASSERT_TRUE(next);
  EXPECT_FALSE(*next);
}

}  // namespace
}  // namespace atl::guest
