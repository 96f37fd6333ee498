#include "node/host_figures.hpp"

#include <gtest/gtest.h>

namespace atl::node {
namespace {

TEST(HostFigures, CacheIsNotMemoryInUse) {
  HostMemory memory = parse_memory(
      "MemTotal:        8000 kB\nMemFree:          100 kB\nMemAvailable:    6000 kB\n"
      "Buffers:          200 kB\nCached:          5000 kB\n");
  EXPECT_EQ(memory.total, 8000u << 10);
  EXPECT_EQ(memory.available, 6000u << 10);
  EXPECT_EQ(parse_memory("").total, 0u);
}

TEST(HostFigures, ProcessorsInUseAreMeasuredBetweenTwoMoments) {
  HostTimes before = parse_times("cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3\n");
  EXPECT_EQ(before.all, 1000u);
  EXPECT_EQ(before.busy, 200u);
  // 100 ticks: 50 busy, 30 idle, 20 waiting for a disk.
  HostTimes after = parse_times("cpu  130 10 105 830 20 2 3 0 0 0\n");
  EXPECT_EQ(after.all, 1100u);
  EXPECT_DOUBLE_EQ(cpus_used(before, after, 4), 2);
  EXPECT_DOUBLE_EQ(cpus_used(after, after, 4), 0);
  EXPECT_DOUBLE_EQ(cpus_used(after, before, 4), 0);
}

TEST(HostFigures, Health) {
  EXPECT_STREQ(health_of(false, 95, 100), "healthy");
  EXPECT_STREQ(health_of(false, 96, 100), "degraded");
  EXPECT_STREQ(health_of(true, 10, 100), "unhealthy");
  EXPECT_STREQ(health_of(false, 0, 0), "healthy");
}

TEST(HostFigures, ThisMachineHasSome) {
  EXPECT_GT(host_memory().total, 0u);
  EXPECT_GT(host_memory().available, 0u);
  EXPECT_GT(host_times().all, 0u);
}

}  // namespace
}  // namespace atl::node
