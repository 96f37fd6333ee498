// What is asked of the engine, without one.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "backends/docker/config.hpp"
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

TEST(DockerContainer, HasTheCapabilitiesOfTheConfiguration) {
  ContainerPlan plan = plan_of();
  EXPECT_EQ(at(*container_body({}, plan, kFacts), "/HostConfig/CapAdd"), nullptr);
  plan.cap_add = {"CHOWN", "SETUID"};
  Result<Json> body = container_body({}, plan, kFacts);
  ASSERT_TRUE(body);
  EXPECT_EQ(text_at(*body, "/HostConfig/CapDrop/0"), "ALL");
  EXPECT_EQ(text_at(*body, "/HostConfig/CapAdd/0"), "CHOWN");
  EXPECT_EQ(text_at(*body, "/HostConfig/CapAdd/1"), "SETUID");
  EXPECT_EQ(text_at(*body, "/Entrypoint/5"), "--keep-caps");
  std::vector<std::string> missing = isolation_of(kFacts, {.caps = plan.cap_add}).missing;
  for (const char* wall : {"no_capabilities", "no_cap_chown", "no_cap_setuid"}) {
    EXPECT_EQ(std::ranges::count(missing, wall), 1) << wall;
  }
  EXPECT_EQ(std::ranges::count(missing, "no_cap_setgid"), 0);
}

TEST(DockerContainer, KnowsItsOwnName) {
  ContainerPlan plan = plan_of();
  sandbox::SandboxSpec spec{.hostname = "box-7"};
  EXPECT_EQ(text_at(*container_body(spec, plan, kFacts), "/HostConfig/ExtraHosts/0"),
            "box-7:127.0.0.1");
  plan.network = "team";  // there the engine adds it, with the address in that network
  EXPECT_EQ(at(*container_body(spec, plan, kFacts), "/HostConfig/ExtraHosts"), nullptr);
}

// One may be opened later, and is told of then.
TEST(DockerContainer, ANetworkOfItsOwnAsksNoHost) {
  ContainerPlan plan = plan_of();
  EXPECT_EQ(text_at(*container_body({}, plan, kFacts), "/HostConfig/Dns/0"), "198.18.0.53");
  plan.network = "team";
  EXPECT_EQ(at(*container_body({}, plan, kFacts), "/HostConfig/Dns"), nullptr);
  std::vector<std::string> layers = isolation_of(kFacts, {.egress_filtered = true}).layers;
  for (const char* wall : {"network_namespace", "egress_filtered"}) {
    EXPECT_EQ(std::ranges::count(layers, wall), 1) << wall;
  }
  layers = isolation_of(kFacts, {}).layers;
  EXPECT_EQ(std::ranges::count(layers, "egress_filtered"), 0);
}

TEST(DockerConfig, HasAnImageForEachLanguage) {
  Config config;
  EXPECT_EQ(default_image(config, "python"), "python:3.11-slim");
  EXPECT_EQ(default_image(config, "javascript"), "node:20-alpine");
  EXPECT_EQ(default_image(config, "bash"), "ubuntu:22.04");
  EXPECT_EQ(default_image(config, ""), "python:3.11-slim");
  config.image = "team/all:1";  // somebody's own counts for all
  EXPECT_EQ(default_image(config, "javascript"), "team/all:1");
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
  sandbox::Isolation isolation = isolation_of(facts, {});
  EXPECT_NE(std::ranges::find(isolation.missing, "cpu_limit"), isolation.missing.end());
  spec.asked.cpus = true;
  EXPECT_FALSE(container_body(spec, plan_of(), facts));
}

TEST(DockerContainer, AWritableRootHasNoDiskLimit) {
  sandbox::SandboxSpec spec{.writable_root = true};
  Result<Json> body = container_body(spec, plan_of(), kFacts);
  ASSERT_TRUE(body);
  EXPECT_FALSE(truth_at(*body, "/HostConfig/ReadonlyRootfs"));
  sandbox::Isolation isolation = isolation_of(kFacts, {.writable_root = true});
  for (const char* wall : {"read_only_root", "disk_limit"}) {
    EXPECT_NE(std::ranges::find(isolation.missing, wall), isolation.missing.end()) << wall;
  }
  spec.asked.disk = true;
  Result<Json> refused = container_body(spec, plan_of(), kFacts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kLimitUnenforceable);
}

async::Task<Result<PathFacts>> look_into_image(std::string path) {
  static const std::map<std::string, PathFacts> kImage{
      {"/etc", {PathKind::kFolder, ""}},         {"/etc/shadow", {PathKind::kFile, ""}},
      {"/etc/a.key", {PathKind::kFile, ""}},     {"/etc/ssl", {PathKind::kFolder, ""}},
      {"/etc/ssl/b.key", {PathKind::kFile, ""}}, {"/home", {PathKind::kFolder, ""}},
      {"/srv", {PathKind::kFolder, ""}},         {"/srv/x", {PathKind::kFolder, ""}},
      {"/link", {PathKind::kLink, "/srv/x"}},    {"/open", {PathKind::kLink, "/tmp/open"}},
      {"/inner", {PathKind::kLink, "/proc/1"}},  {"/tmp", {PathKind::kFolder, ""}},
      {"/var", {PathKind::kFolder, ""}},         {"/var/lib", {PathKind::kFolder, ""}},
      {"/var/lib/db", {PathKind::kFolder, ""}},  {"/data", {PathKind::kFolder, ""}},
      {"/round", {PathKind::kLink, "/round"}}};
  auto found = kImage.find(path);
  co_return found == kImage.end() ? PathFacts() : found->second;
}

async::Task<Result<std::vector<std::string>>> list_image(std::string folder) {
  if (folder == "/etc") co_return std::vector<std::string>{"shadow", "a.key", "ssl", "ssl/b.key"};
  co_return std::vector<std::string>{};
}

Result<PolicyMounts> mounts_of(sandbox::FilesystemPatterns patterns) {
  return async::run_to_end<Result<PolicyMounts>>([&](async::Executor) {
    Surroundings around{.mounts = {{.path = "/data", .read_only = false}},
                        .volumes = {"/var/lib/db"}};
    return policy_mounts(std::move(patterns), std::move(around),
                         std::make_shared<ImageView>(&look_into_image, &list_image));
  });
}

using Paths = std::vector<std::string>;

TEST(DockerPolicy, BecomesMounts) {
  Result<PolicyMounts> mounts =
      mounts_of({.deny_read = {"/etc/shadow", "/home", "/no/such", "/var/lib/db"},
                 .allow_write = {"/srv", "/tmp/x"},
                 .deny_write = {".env", "/usr"}});
  ASSERT_TRUE(mounts) << mounts.error().to_string();
  EXPECT_EQ(mounts->writable, Paths{"/srv"});
  EXPECT_EQ(mounts->hidden, Paths{"/home"});
  EXPECT_EQ(mounts->hidden_files, (Paths{"/etc/shadow", "/workspace/.env"}));
}

TEST(DockerPolicy, DeniedIsDeniedWhateverIsAllowed) {
  Result<PolicyMounts> above = mounts_of({.allow_write = {"/srv/x"}, .deny_write = {"/srv"}});
  ASSERT_TRUE(above);
  EXPECT_EQ(above->writable, Paths{});
  Result<PolicyMounts> unread = mounts_of({.deny_read = {"/srv"}, .allow_write = {"/srv/x"}});
  ASSERT_TRUE(unread);
  EXPECT_EQ(unread->writable, Paths{});
  EXPECT_EQ(unread->hidden, Paths{"/srv"});
  Result<PolicyMounts> below = mounts_of({.allow_write = {"/srv"}, .deny_write = {"/srv/x"}});
  ASSERT_TRUE(below);
  EXPECT_EQ(below->writable, Paths{"/srv"});
  EXPECT_EQ(below->hidden_files, Paths{"/srv/x"});
  Result<PolicyMounts> places = mounts_of({.deny_read = {"/tmp"}, .deny_write = {"/workspace"}});
  ASSERT_TRUE(places);
  EXPECT_EQ(places->hidden, Paths{"/tmp"});
  EXPECT_EQ(places->read_only, Paths{"/workspace"});
}

TEST(DockerPolicy, DeepNamesAreHeldByEveryFolderAbove) {
  Result<PolicyMounts> deep = mounts_of({.deny_write = {"a/b/c", "a/d"}});
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->writable, (Paths{"/workspace/a", "/workspace/a/b"}));
  EXPECT_EQ(deep->hidden_files, (Paths{"/workspace/a/b/c", "/workspace/a/d"}));
  Result<PolicyMounts> both = mounts_of({.deny_read = {"a"}, .deny_write = {"a/b/c"}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->hidden_files, Paths{"/workspace/a"});
}

TEST(DockerPolicy, LinksOfTheImageAreFollowed) {
  Result<PolicyMounts> mounts = mounts_of({.deny_read = {"/link"}, .deny_write = {"/open/x"}});
  ASSERT_TRUE(mounts) << mounts.error().to_string();
  EXPECT_EQ(mounts->hidden, Paths{"/srv/x"});
  EXPECT_EQ(mounts->writable, Paths{"/tmp/open"});
  EXPECT_EQ(mounts->hidden_files, Paths{"/tmp/open/x"});
}

TEST(DockerPolicy, GlobsAreOfTheImage) {
  Result<PolicyMounts> mounts =
      mounts_of({.deny_read = {"/etc/**/*.key"}, .deny_write = {"*.pem"}});
  ASSERT_TRUE(mounts) << mounts.error().to_string();
  EXPECT_EQ(mounts->hidden_files, (Paths{"/etc/a.key", "/etc/ssl/b.key"}));
}

TEST(DockerPolicy, WhatWouldNotHoldIsRefused) {
  const sandbox::FilesystemPatterns refused[] = {
      {.deny_write = {"/"}},         {.deny_read = {"/proc/1"}},  {.deny_read = {"/run"}},
      {.deny_read = {"/data/x"}},    {.deny_write = {"/data/x"}}, {.allow_write = {"/data/x"}},
      {.allow_write = {"/no/such"}}, {.deny_read = {"/inner"}},   {.deny_read = {"/round"}},
      {.deny_read = {"/var"}},       {.deny_read = {"/etc"}},     {.allow_write = {"/etc/shadow"}},
      {.allow_write = {"/inner/fd"}}};
  for (const sandbox::FilesystemPatterns& patterns : refused) {
    Result<PolicyMounts> mounts = mounts_of(patterns);
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
