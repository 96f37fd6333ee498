#include "base/cgroup_limits.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace atl {
namespace {

constexpr std::uint64_t kBytes = 256 << 20;

// What is written in which order, where the files refuse as the kernel's do.
struct Files {
  std::vector<std::string> written = {};
  int refusals = 0;  // of the limit of memory alone, with this error
  int error = 0;
  bool empties = true;

  bool operator()(const std::string& file, std::uint64_t value) {
    written.push_back(file + " " + std::to_string(value));
    bool alone = file == "memory.limit_in_bytes" || file == "memory.max";
    if ((alone && refusals-- > 0) || (file == "memory.force_empty" && !empties)) {
      errno = error;
      return false;
    }
    return true;
  }
};

bool limit(bool unified, Files& files) {
  return set_memory_limit(
      unified, kBytes, [&](const char* file, std::uint64_t value) { return files(file, value); });
}

TEST(CgroupLimits, OneFileAndNoSwapOnV2) {
  Files files;
  EXPECT_TRUE(limit(true, files));
  EXPECT_EQ(files.written, (std::vector<std::string>{"memory.swap.max 0", "memory.max 268435456"}));
  Files refused{.refusals = 1, .error = EPERM};
  EXPECT_FALSE(limit(true, refused));
}

TEST(CgroupLimits, SwapAndTcpOnV1) {
  Files files;
  EXPECT_TRUE(limit(false, files));
  EXPECT_EQ(files.written,
            (std::vector<std::string>{"memory.swappiness 0", "memory.limit_in_bytes 268435456",
                                      "memory.memsw.limit_in_bytes 268435456",
                                      "memory.kmem.tcp.limit_in_bytes 33554432"}));
}

TEST(CgroupLimits, TheLimitWithSwapIsRaisedFirst) {
  Files files{.refusals = 1, .error = EINVAL};
  EXPECT_TRUE(limit(false, files));
  EXPECT_EQ(files.written.at(2), "memory.memsw.limit_in_bytes 268435456");
  EXPECT_EQ(files.written.at(3), "memory.limit_in_bytes 268435456");
}

TEST(CgroupLimits, WhatNobodyNeedsIsFreedFirst) {
  Files files{.refusals = 1, .error = EBUSY};
  EXPECT_TRUE(limit(false, files));
  EXPECT_EQ(files.written.at(2), "memory.force_empty 0");
  Files full{.refusals = 2, .error = EBUSY};
  EXPECT_FALSE(limit(false, full));
  EXPECT_EQ(errno, EBUSY);
  Files stuck{.refusals = 1, .error = EBUSY, .empties = false};
  EXPECT_FALSE(limit(false, stuck));
}

}  // namespace
}  // namespace atl
