#include "cli/run/limits.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using namespace std::chrono_literals;

HostFacts small_host() {
  return {.memory_bytes = 1ull << 30,
          .cpus = 2,
          .pid_max = 1000,
          .open_files_max = 4096,
          .disk_bytes = 4ull << 30};
}

HostFacts not_wanted() {
  ADD_FAILURE() << "the host was asked although no limit was";
  return {};
}

Result<CheckedLimits> check(RunOptions options) { return check_limits(options, small_host); }

TEST(LimitOptions, DefaultsCostNothing) {
  Result<CheckedLimits> result = check_limits(RunOptions{}, not_wanted);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->limits.memory_bytes, 512ull << 20);
  EXPECT_EQ(result->limits.cpus, 0.5);
  EXPECT_EQ(result->limits.pids, 100u);
  EXPECT_EQ(result->limits.disk_bytes, 256ull << 20);
  EXPECT_FALSE(result->asked.memory || result->asked.cpus || result->asked.pids ||
               result->asked.disk);
}

TEST(LimitOptions, TakesWhatWasAsked) {
  Result<CheckedLimits> result = check({.memory = 64ull << 20,
                                        .cpu_milli = 1500,
                                        .pids = 2,
                                        .disk = 1 << 20,
                                        .inodes = 100,
                                        .open_files = 16});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->limits.memory_bytes, 64ull << 20);
  EXPECT_EQ(result->limits.cpus, 1.5);
  EXPECT_EQ(result->limits.pids, 2u);
  EXPECT_EQ(result->limits.disk_bytes, 1u << 20);
  EXPECT_EQ(result->limits.inodes, 100u);
  EXPECT_EQ(result->limits.open_files, 16u);
  EXPECT_TRUE(result->asked.memory && result->asked.cpus && result->asked.pids &&
              result->asked.disk);
}

TEST(LimitOptions, DefaultDiskFitsTheMemory) {
  EXPECT_EQ(check({.memory = 100ull << 20})->limits.disk_bytes, 50ull << 20);
  EXPECT_EQ(check({.memory = 1ull << 30})->limits.disk_bytes, 256ull << 20);
}

void expect_refused(RunOptions options, const char* option, const char* range) {
  Result<CheckedLimits> result = check(std::move(options));
  ASSERT_FALSE(result) << option;
  EXPECT_EQ(result.error().code(), Code::kInvalidArgument);
  EXPECT_TRUE(result.error().message().starts_with(option)) << result.error().message();
  EXPECT_NE(result.error().message().find(range), std::string::npos) << result.error().message();
}

TEST(LimitOptions, RefusesZeroAbsurdAndMoreThanTheHostHas) {
  expect_refused({.memory = 0}, "--memory", "4m to 1g");
  expect_refused({.memory = 2ull << 30}, "--memory", "4m to 1g");
  expect_refused({.cpu_milli = 0}, "--cpus", "0.01 to 2");
  expect_refused({.cpu_milli = 2001}, "--cpus", "0.01 to 2");
  expect_refused({.pids = 1}, "--pids", "2 to 1000");
  expect_refused({.pids = 5'000'000'000}, "--pids", "2 to 1000");
  expect_refused({.disk = 0}, "--disk", "64k to 4g");
  expect_refused({.disk = 1ull << 60}, "--disk", "64k to 4g");
  expect_refused({.inodes = 0}, "--inodes", "16 to");
  expect_refused({.open_files = 0}, "--open-files", "16 to 4096");
}

TEST(LimitOptions, Timeouts) {
  EXPECT_EQ(*check_timeout({}, true), 30s);
  EXPECT_EQ(*check_timeout({}, false), 60s);
  EXPECT_EQ(*check_timeout({.terminal = true}, false), 0ms);
  EXPECT_EQ(*check_timeout({.timeout = 0ms}, true), 0ms);
  EXPECT_EQ(*check_timeout({.timeout = 5s, .terminal = true}, true), 5s);
  EXPECT_EQ(check_timeout({.timeout = std::chrono::days(31)}, true).error().code(),
            Code::kInvalidArgument);
}

TEST(LimitOptions, KeptOutput) {
  EXPECT_EQ(*check_max_output({}), UINT64_MAX);
  EXPECT_EQ(*check_max_output({.output = OutputFormat::kJson}), 10ull << 20);
  EXPECT_EQ(*check_max_output({.max_output = 5}), 5u);
  EXPECT_FALSE(check_max_output({.max_output = 0}));
  EXPECT_FALSE(check_max_output({.max_output = 2ull << 30}));
}

TEST(LimitOptions, RealHostHasSomething) {
  HostFacts facts = read_host_facts();
  EXPECT_GT(facts.memory_bytes, 64ull << 20);
  EXPECT_GE(facts.cpus, 1u);
  EXPECT_GE(facts.disk_bytes, facts.memory_bytes);
}

}  // namespace
}  // namespace atl::cli
