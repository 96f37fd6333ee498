#include "codec/names.hpp"

#include <gtest/gtest.h>

namespace atl::codec {
namespace {

TEST(Names, Members) {
  EXPECT_EQ(member_name("memory_mb", false), "memory_mb");
  EXPECT_EQ(member_name("memory_mb", true), "memoryMb");
  EXPECT_EQ(member_name("default_", false), "default");
  EXPECT_EQ(member_name("image", true), "image");
}

TEST(Names, Enumerators) {
  EXPECT_EQ(enumerator_name("kTimedOut"), "timed_out");
  EXPECT_EQ(enumerator_name("kReady"), "ready");
  EXPECT_EQ(enumerator_name("plain"), "plain");
  EXPECT_EQ(enumerator_name("keep"), "keep");
}

}  // namespace
}  // namespace atl::codec
