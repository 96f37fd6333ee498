// What is asked of the engine, without one.
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "backends/docker/container.hpp"
#include "backends/docker/figures.hpp"
#include "backends/docker/policy.hpp"
#include "codec/json.hpp"

namespace atl::backends::docker {
namespace {

constexpr EngineFacts kFacts{.memory_limit = true,
                             .cpu_limit = true,
                             .pids_limit = true,
                             .seccomp = true,
                             .has_cgroup_namespace = true};

ContainerPlan plan_of(PolicyMounts policy = {}) {
  return {.image = "image",
          .instance = "0123456789abcdef",
          .guest_program = "/opt/bin/atoll-guest",
          .place = "/data/docker/id",
          .hidden_file = "/data/docker/hidden",
          .hidden_folder = "/data/docker/hidden.d",
          .network = "none",
          .volumes = {"/declared"},
          .policy = std::move(policy)};
}

Json parsed(std::string_view text) {
  std::expected<Json, codec::DecodeError> value = codec::parse(text);
  return value ? *value : Json();
}

TEST(DockerContainer, HasEveryWall) {
  sandbox::SandboxSpec spec{.id = SandboxId::make()};
  Result<Json> body = container_body(spec, plan_of(), kFacts);
  ASSERT_TRUE(body);
  EXPECT_EQ(text_at(*body, "/User"), "1000:1000");
  EXPECT_EQ(text_at(*body, "/Entrypoint/0"), "/opt/atoll/guest");
  EXPECT_EQ(text_at(*body, "/Labels/dev.atoll.sandbox"), spec.id.str());
  EXPECT_EQ(text_at(*body, "/HostConfig/NetworkMode"), "none");
  EXPECT_TRUE(truth_at(*body, "/HostConfig/ReadonlyRootfs"));
  EXPECT_EQ(text_at(*body, "/HostConfig/CapDrop/0"), "ALL");
  EXPECT_EQ(text_at(*body, "/HostConfig/SecurityOpt/0"), "no-new-privileges");
  EXPECT_EQ(number_at(*body, "/HostConfig/Memory"), 512 << 20);
  EXPECT_EQ(number_at(*body, "/HostConfig/MemorySwap"), 512 << 20);
  EXPECT_EQ(number_at(*body, "/HostConfig/CpuQuota"), 50'000);
  EXPECT_EQ(number_at(*body, "/HostConfig/PidsLimit"), 101);
  EXPECT_FALSE(truth_at(*body, "/HostConfig/Init"));
  EXPECT_NE(text_at(*body, "/HostConfig/Tmpfs/~1workspace").find("size=201326592"),
            std::string::npos);
  EXPECT_TRUE(text_at(*body, "/HostConfig/Tmpfs/~1declared").starts_with("ro,"));
  EXPECT_TRUE(truth_at(*body, "/HostConfig/Mounts/0/ReadOnly"));
}

TEST(DockerContainer, FilesGetHalfOfTheMemoryAtMost) {
  sandbox::SandboxSpec spec{.limits = {.memory_bytes = 64 << 20, .disk_bytes = 1 << 30}};
  Result<Json> body = container_body(spec, plan_of(), kFacts);
  ASSERT_TRUE(body);
  EXPECT_NE(text_at(*body, "/HostConfig/Tmpfs/~1tmp").find("size=8388608,"), std::string::npos);
  spec.asked.disk = true;
  Result<Json> refused = container_body(spec, plan_of(), kFacts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kLimitUnenforceable);
}

TEST(DockerContainer, ALimitThatTheEngineCannotHoldIsNotClaimed) {
  EngineFacts facts = kFacts;
  facts.cpu_limit = false;
  sandbox::SandboxSpec spec;
  Result<Json> body = container_body(spec, plan_of(), facts);
  ASSERT_TRUE(body);
  EXPECT_EQ(at(*body, "/HostConfig/CpuQuota"), nullptr);
  sandbox::Isolation isolation = isolation_of(facts, false);
  EXPECT_NE(std::ranges::find(isolation.missing, "cpu_limit"), isolation.missing.end());
  spec.asked.cpus = true;
  EXPECT_FALSE(container_body(spec, plan_of(), facts));
}

Result<PolicyMounts> mounts_of(sandbox::FilesystemPolicy policy) {
  return async::run_to_end<Result<PolicyMounts>>([&](async::Executor) {
    return policy_mounts(
        std::move(policy), {"/data"}, [](std::string path) -> async::Task<Result<PathKind>> {
          static const std::map<std::string, PathKind> kImage{{"/etc/shadow", PathKind::kFile},
                                                              {"/home", PathKind::kFolder},
                                                              {"/srv", PathKind::kFolder}};
          auto found = kImage.find(path);
          co_return found == kImage.end() ? PathKind::kMissing : found->second;
        });
  });
}

TEST(DockerPolicy, BecomesMounts) {
  Result<PolicyMounts> mounts = mounts_of({.deny_read = {"/etc/shadow", "/home", "/no/such"},
                                           .allow_write = {"/srv", "/tmp/x"},
                                           .deny_write = {"/workspace/.env", "/usr"}});
  ASSERT_TRUE(mounts) << mounts.error().to_string();
  EXPECT_EQ(mounts->writable, std::vector<std::string>{"/srv"});
  EXPECT_EQ(mounts->hidden, std::vector<std::string>{"/home"});
  EXPECT_EQ(mounts->hidden_files, (std::vector<std::string>{"/workspace/.env", "/etc/shadow"}));
}

TEST(DockerPolicy, WhatWouldNotHoldIsRefused) {
  const sandbox::FilesystemPolicy kRefused[] = {
      {.deny_write = {"/workspace/a/b"}},
      {.deny_write = {"/workspace"}},
      {.deny_read = {"/proc/1"}},
      {.deny_read = {"/run"}},
      {.deny_read = {"/data/x"}},
      {.allow_write = {"/etc/shadow"}},
      {.allow_write = {"/srv"}, .deny_write = {"/srv/x"}}};
  for (const sandbox::FilesystemPolicy& policy : kRefused) {
    Result<PolicyMounts> mounts = mounts_of(policy);
    ASSERT_FALSE(mounts);
    EXPECT_EQ(mounts.error().code(), Code::kPolicyUnsupported) << mounts.error().to_string();
  }
}

TEST(DockerFigures, OfBothKindsOfCgroups) {
  sandbox::Usage first = usage_of(
      parsed(
          R"({"cpu_stats":{"cpu_usage":{"total_usage":1500000000}},"pids_stats":{"current":3},
          "memory_stats":{"usage":1000,"max_usage":3000,"limit":9000,
                          "stats":{"total_inactive_file":400,"inactive_file":1}}})"),
      {.oom_kills = 2, .shared_memory = 50});
  EXPECT_DOUBLE_EQ(first.cpu_seconds, 1.5);
  EXPECT_EQ(first.memory_bytes, 600u);
  EXPECT_EQ(first.memory_peak_bytes, 3000u);
  EXPECT_EQ(first.pids, 3u);
  EXPECT_EQ(first.disk_bytes, 50u);
  EXPECT_EQ(first.oom_kills, 2u);
  sandbox::Usage second = usage_of(
      parsed(R"({"memory_stats":{"usage":1000,"limit":9000,"stats":{"inactive_file":2000}}})"), {});
  EXPECT_EQ(second.memory_bytes, 0u);
  EXPECT_EQ(second.memory_peak_bytes, 1000u);
  EXPECT_EQ(usage_of(parsed("{}"), {}).memory_limit_bytes, 0u);
}

}  // namespace
}  // namespace atl::backends::docker
