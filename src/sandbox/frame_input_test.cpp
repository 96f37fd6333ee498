#include "sandbox/frame_input.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "guest/frame.hpp"

namespace atl::sandbox {
namespace {

using guest::FrameType;

std::string frame(FrameType type, std::uint32_t channel, std::string payload) {
  auto header = guest::encode_header({.length = static_cast<std::uint32_t>(payload.size()),
                                      .channel = channel,
                                      .type = type,
                                      .stream = guest::kStdout});
  return std::string(header.data(), header.size()) + payload;
}

// Feeds `wire` in pieces of at most `most` bytes, as a socket would.
std::vector<InFrame> split(std::string_view wire, std::size_t most,
                           std::vector<std::string>& payloads) {
  FrameInput input;
  std::vector<InFrame> frames;
  while (!wire.empty()) {
    std::size_t given = 0;
    for (const iovec& room : input.prepare()) {
      std::size_t step = std::min({room.iov_len, wire.size(), most - given});
      std::memcpy(room.iov_base, wire.data(), step);
      wire.remove_prefix(step);
      given += step;
    }
    input.commit(given);
    for (;;) {
      auto next = input.next();
      EXPECT_TRUE(next.has_value());
      if (!next) return frames;
      if (!*next) break;
      payloads.emplace_back((*next)->header.type == FrameType::kData ? (*next)->data
                                                                     : (*next)->payload);
      frames.push_back(std::move(**next));
    }
  }
  return frames;
}

TEST(FrameInput, GivesTheSameFramesHoweverTheyArrive) {
  std::mt19937 random(7);
  std::string wire;
  std::vector<std::string> sent;
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::size_t size = i % 5 == 0 ? guest::kMaxPayload : random() % 3000;
    std::string payload(size, '\0');
    for (char& byte : payload) byte = static_cast<char>(random());
    wire += frame(i % 3 == 0 ? FrameType::kReply : FrameType::kData, i + 1, payload);
    sent.push_back(std::move(payload));
  }
  for (std::size_t most :
       {std::size_t{7}, std::size_t{4096}, std::size_t{131072}, std::size_t{1} << 20}) {
    std::vector<std::string> payloads;
    std::vector<InFrame> frames = split(wire, most, payloads);
    ASSERT_EQ(frames.size(), sent.size());
    EXPECT_EQ(payloads, sent) << "in pieces of " << most;
    EXPECT_EQ(frames.back().header.channel, 200u);
  }
}

TEST(FrameInput, RefusesAnOversizedFrame) {
  FrameInput input;
  std::string wire = frame(FrameType::kData, 1, "x");
  wire[0] = wire[1] = wire[2] = wire[3] = '\x7f';
  std::span<const iovec> room = input.prepare();
  std::memcpy(room[0].iov_base, wire.data(), wire.size());
  input.commit(wire.size());
  auto next = input.next();
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().code(), Code::kProtocol);
}

}  // namespace
}  // namespace atl::sandbox
