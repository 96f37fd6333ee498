#include "backends/opensandbox/settings.hpp"

#include <gtest/gtest.h>

namespace atl::backends::opensandbox {
namespace {

// One of two modes, each with its own server and its own kind of shared folder.
TEST(OpenSandboxSettings, HaveTwoModes) {
  Config told;
  told.local.tos_path = "/shared";
  Settings local = settings_of(told);
  EXPECT_EQ(local.server_url, "http://localhost:8080");
  EXPECT_EQ(local.volume.mount_path, "/tos");
  EXPECT_EQ(local.volume.host_path, "/shared");
  EXPECT_EQ(local.volume.claim, "");
  told.mode = Mode::kVke;
  Settings vke = settings_of(told);
  EXPECT_EQ(vke.server_url, "http://opensandbox-server.vikingbot.svc.cluster.local:8080");
  EXPECT_EQ(vke.volume.mount_path, "/tos");
  EXPECT_EQ(vke.volume.claim, "vikingbot-tos-pvc");
  EXPECT_EQ(vke.volume.host_path, "");
  told.vke.tos.enabled = false;
  EXPECT_EQ(settings_of(told).volume.mount_path, "");
}

TEST(OpenSandboxSettings, TakeEveryFieldOfTheConfiguration) {
  Config told;
  told.entrypoint = {"/x"};
  told.use_server_proxy = true;
  told.local.server_url = "http://s:1/v1/";
  told.local.api_key = "k";
  told.local.default_image = "i:1";
  told.network = {.allowed_domains = {"a.example"}, .denied_domains = {"b.example"}};
  told.runtime = {.timeout = 77, .cpu = "2", .memory = "3Gi"};
  Settings all = settings_of(told);
  EXPECT_EQ(all.entrypoint, std::vector<std::string>{"/x"});
  EXPECT_TRUE(all.server_proxy);
  EXPECT_EQ(all.server_url, "http://s:1");
  EXPECT_EQ(all.api_key, "k");
  EXPECT_EQ(all.image, "i:1");
  EXPECT_EQ(all.allowed_domains, std::vector<std::string>{"a.example"});
  EXPECT_EQ(all.denied_domains, std::vector<std::string>{"b.example"});
  EXPECT_EQ(all.timeout, std::chrono::seconds(77));
  EXPECT_EQ(all.cpu, "2");
  EXPECT_EQ(all.memory, "3Gi");
}

}  // namespace
}  // namespace atl::backends::opensandbox
