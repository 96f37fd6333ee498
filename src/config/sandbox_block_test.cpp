// Configuration files of agents, as they stand: their `sandbox` blocks must be taken unchanged.
#include <gtest/gtest.h>

#include "backends/docker/config.hpp"
#include "backends/kubernetes/config.hpp"
#include "backends/opensandbox/config.hpp"
#include "backends/srt/config.hpp"
#include "config/test_sources.hpp"

namespace atl::config {
namespace {

using backends::opensandbox::Mode;
using DockerConfig = backends::docker::Config;
using KubernetesConfig = backends::kubernetes::Config;
using OpenSandboxConfig = backends::opensandbox::Config;
using SrtConfig = backends::srt::Config;
using Texts = std::vector<std::string>;

constexpr const char* kWholeBlock = R"({
  "sandbox": {
    "enabled": false,                    // switch
    "backend": "srt",                   // srt | docker | firecracker
    "mode": "per-session",
    "network": {
      "allowedDomains": [],
      "deniedDomains": [],
      "allowLocalBinding": false
    },
    "filesystem": {
      "denyRead": ["~/.ssh", "~/.gnupg"],
      "allowWrite": ["~/.vikingbot/workspace"],
      "denyWrite": [".env", "*.pem"]
    },
    "runtime": {
      "cleanupOnExit": true,
      "timeout": 300
    },
    "backends": {
      "srt": {"settingsPath": "~/.vikingbot/srt-settings.json"},
      "docker": {"image": "python:3.11-slim", "networkMode": "bridge"}
    }
  }
})";

// covers: C35
TEST(SandboxBlock, IsTakenWhole) {
  SandboxConfig sandbox = load_or_die(from_file(kWholeBlock)).config.sandbox;
  EXPECT_FALSE(sandbox.enabled);
  EXPECT_EQ(sandbox.mode, SandboxMode::kPerSession);
  EXPECT_EQ(sandbox.filesystem.deny_read, (Texts{"~/.ssh", "~/.gnupg"}));
  EXPECT_EQ(sandbox.filesystem.deny_write, (Texts{".env", "*.pem"}));
  EXPECT_EQ(sandbox.backends.of<SrtConfig>().settings_path, "~/.vikingbot/srt-settings.json");
  EXPECT_EQ(sandbox.backends.of<DockerConfig>().network_mode, "bridge");
}

TEST(SandboxBlock, ReadmeExample) {
  SandboxConfig sandbox = load_or_die(from_file(R"({
  "sandbox": {
    "enabled": true,
    "backend": "srt",
    "mode": "per-session",
    "filesystem": {"allowWrite": ["~/.vikingbot/workspace"], "denyRead": ["~/.ssh"]},
    "network": {"allowedDomains": ["api.openai.com"]}
  }
})"))
                              .config.sandbox;
  EXPECT_TRUE(sandbox.enabled);
  EXPECT_EQ(sandbox.network.allowed_domains, Texts{"api.openai.com"});
}

constexpr const char* kOpenSandbox = R"(
    "opensandbox": {
      "mode": "vke",  // "local" or "vke"
      "local": {
        "serverUrl": "http://localhost:8080",
        "apiKey": "",
        "defaultImage": "opensandbox/code-interpreter:v1.0.1"
      },
      "vke": {
        "serverUrl": "http://opensandbox-server.vikingbot.svc.cluster.local:8080",
        "apiKey": "k",
        "defaultImage": "opensandbox/code-interpreter:v1.0.1",
        "namespace": "vikingbot",
        "kubeconfigPath": "~/.kube/config",
        "tos": {"enabled": true, "mountPath": "/tos", "pvcName": "vikingbot-tos-pvc"}
      },
      "network": {"allowedDomains": [], "deniedDomains": []},
      "runtime": {"timeout": 300, "cpu": "500m", "memory": "1Gi"}
    })";

TEST(SandboxBlock, OpenSandboxInBothPlaces) {
  std::string head = R"({"sandbox": {"enabled": true, "backend": "opensandbox",)";
  for (const std::string& text :
       {head + kOpenSandbox + "}}", head + R"("backends": {)" + kOpenSandbox + "}}}"}) {
    Loaded loaded = load_or_die(from_file(text));
    const OpenSandboxConfig& config = loaded.config.sandbox.backends.of<OpenSandboxConfig>();
    EXPECT_EQ(config.mode, Mode::kVke);
    EXPECT_EQ(config.vke.api_key, "k");
    EXPECT_EQ(loaded.origin_of("sandbox.backends.opensandbox.mode").to_string(), "f.json:3");
  }
}

TEST(SandboxBlock, OpenSandboxFieldsAreNotSetTwice) {
  EXPECT_EQ(problem_of(R"({"sandbox": {
  "opensandbox": {"mode": "local"},
  "backends": {"opensandbox": {"mode": "vke", "runtime": {"cpu": "1"}}}}})"),
            "f.json:3:40: /sandbox/backends/opensandbox/mode is set already, at f.json:2:27");
  // Different fields in both places add up.
  Loaded loaded = load_or_die(from_file(R"({"sandbox": {"opensandbox": {"mode": "vke"},
  "backends": {"opensandbox": {"runtime": {"cpu": "1"}}}}})"));
  EXPECT_EQ(loaded.config.sandbox.backends.of<OpenSandboxConfig>().mode, Mode::kVke);
  EXPECT_EQ(loaded.config.sandbox.backends.of<OpenSandboxConfig>().runtime.cpu, "1");
}

TEST(SandboxBlock, CapabilitiesAreThreeAndDockers) {
  Loaded loaded = load_or_die(from_file(
      R"({"sandbox": {"backends": {"docker": {"capAdd": ["CHOWN", "SETUID", "SETGID"]}}}})"));
  EXPECT_EQ(loaded.config.sandbox.backends.of<DockerConfig>().cap_add,
            (Texts{"CHOWN", "SETUID", "SETGID"}));
  EXPECT_EQ(problem_of(R"({"sandbox": {"backends": {"docker": {"capAdd": ["SYS_ADMIN"]}}}})"),
            "f.json:1:49: /sandbox/backends/docker/capAdd/0 must be CHOWN, SETUID or SETGID: "
            "sandboxes get no other capability");
  EXPECT_EQ(problem_of(R"({"sandbox": {"backends": {"native": {"capAdd": ["CHOWN"]}}}})"),
            "f.json:1:38: /sandbox/backends/native/capAdd is unknown; did you mean "
            "\"sandbox.backends.docker.capAdd\"?");
}

TEST(SandboxBlock, DefaultsOfTheBackends) {
  BackendConfigs backends = load_or_die(from_file(R"({"sandbox": {}})")).config.sandbox.backends;
  EXPECT_EQ(backends.of<SrtConfig>().settings_path, "~/.vikingbot/srt-settings.json");
  EXPECT_EQ(backends.of<DockerConfig>().image, "python:3.11-slim");
  EXPECT_EQ(backends.of<DockerConfig>().network_mode, "bridge");
  EXPECT_EQ(backends.of<KubernetesConfig>().namespace_, "atoll");
  EXPECT_EQ(backends.of<KubernetesConfig>().image, "busybox:latest");
  EXPECT_EQ(backends.of<KubernetesConfig>().image_pull_policy, "IfNotPresent");
  EXPECT_EQ(backends.of<KubernetesConfig>().requests.cpu, "0.1");
  EXPECT_EQ(backends.of<KubernetesConfig>().requests.memory, "512Mi");
  EXPECT_EQ(backends.of<KubernetesConfig>().limits.cpu, "2");
  EXPECT_EQ(backends.of<KubernetesConfig>().limits.memory, "1Gi");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().mode, Mode::kLocal);
  EXPECT_EQ(backends.of<OpenSandboxConfig>().local.server_url, "http://localhost:8080");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().vke.server_url,
            "http://opensandbox-server.vikingbot.svc.cluster.local:8080");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().vke.default_image,
            "opensandbox/code-interpreter:v1.0.1");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().vke.namespace_, "vikingbot");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().vke.kubeconfig_path, "~/.kube/config");
  EXPECT_TRUE(backends.of<OpenSandboxConfig>().vke.tos.enabled);
  EXPECT_EQ(backends.of<OpenSandboxConfig>().vke.tos.mount_path, "/tos");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().vke.tos.pvc_name, "vikingbot-tos-pvc");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().runtime.timeout, 300u);
  EXPECT_EQ(backends.of<OpenSandboxConfig>().runtime.cpu, "500m");
  EXPECT_EQ(backends.of<OpenSandboxConfig>().runtime.memory, "1Gi");
}

}  // namespace
}  // namespace atl::config
