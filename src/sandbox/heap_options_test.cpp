#include "sandbox/heap_options.hpp"

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

TEST(HeapOptions, LeaveRoomForTheRest) {
  auto node = [](std::uint64_t megabytes) {
    return heap_options(megabytes << 20).at("NODE_OPTIONS");
  };
  EXPECT_EQ(node(512), "--max-old-space-size=336");
  EXPECT_EQ(node(128), "--max-old-space-size=48");
  EXPECT_EQ(node(64), "--max-old-space-size=16");
  EXPECT_EQ(node(0), "--max-old-space-size=1");
  EXPECT_EQ(heap_options(512 << 20).at("JAVA_TOOL_OPTIONS"),
            "-XX:MaxRAM=512m -XX:MaxRAMPercentage=50");
}

}  // namespace
}  // namespace atl::sandbox
