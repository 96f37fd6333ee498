#include "sandbox/frame_output.hpp"

#include <gtest/gtest.h>

#include "guest/frame.hpp"

namespace atl::sandbox {
namespace {

using guest::FrameType;

TEST(FrameOutput, SmallFramesLeaveTogether) {
  FrameOutput output;
  output.add(FrameType::kHello, 0, 0, "hello");
  output.add(FrameType::kOpen, 1, 0, "open");
  EXPECT_EQ(output.front().size(), 1u);
  EXPECT_EQ(output.front()[0].iov_len, 2 * guest::kHeaderSize + 9);
}

TEST(FrameOutput, LargePayloadsAreNotCopied) {
  FrameOutput output;
  std::string payload(100'000, 'x');
  const char* where = payload.data();
  output.add(FrameType::kData, 1, 0, std::move(payload));
  ASSERT_EQ(output.front().size(), 2u);
  EXPECT_EQ(output.front()[1].iov_base, where);
}

TEST(FrameOutput, AnyPartialWriteKeepsTheBytesInOrder) {
  for (std::size_t step : {1u, 11u, 12u, 13u, 5000u, 70'000u}) {
    FrameOutput output;
    std::string expected;
    for (std::uint32_t i = 0; i < 40; ++i) {
      std::string payload(i % 4 == 0 ? 20'000 : i * 3, static_cast<char>('a' + i % 26));
      auto header = guest::encode_header({.length = static_cast<std::uint32_t>(payload.size()),
                                          .channel = i,
                                          .type = FrameType::kData,
                                          .stream = 0});
      expected.append(header.data(), header.size()).append(payload);
      output.add(FrameType::kData, i, 0, std::move(payload));
    }
    EXPECT_EQ(output.bytes(), expected.size());
    std::string written;
    while (!output.empty()) {
      std::size_t left = step;
      std::size_t taken = 0;
      for (const iovec& part : output.front()) {
        std::size_t count = std::min(left, part.iov_len);
        written.append(static_cast<const char*>(part.iov_base), count);
        taken += count;
        left -= count;
      }
      output.consume(taken);
    }
    EXPECT_EQ(written, expected);
  }
}

}  // namespace
}  // namespace atl::sandbox
