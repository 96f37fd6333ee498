#include "config/load.hpp"

#include <gtest/gtest.h>

#include "config/layer.hpp"
#include "config/test_sources.hpp"

namespace atl::config {
namespace {

TEST(ConfigLoad, WithoutAnything) {
  Loaded loaded = load_or_die({});
  EXPECT_TRUE(loaded.config.sandbox.enabled);
  EXPECT_EQ(loaded.config.sandbox.backend, "native");
  EXPECT_EQ(loaded.config.sandbox.mode, SandboxMode::kPerSession);
  EXPECT_EQ(loaded.config.server.listen, "127.0.0.1:8080");
  EXPECT_EQ(loaded.config.executions.max_output_bytes, 10u << 20);
  EXPECT_EQ(loaded.config.pool.size, 5u);
  EXPECT_EQ(loaded.origin_of("server.listen").to_string(), "default");
}

// covers: C35
TEST(ConfigLoad, ASandboxBlockBringsItsOwnDefaults) {
  Loaded loaded = load_or_die(from_file(R"({"sandbox": {}})"));
  EXPECT_FALSE(loaded.config.sandbox.enabled);
  EXPECT_EQ(loaded.config.sandbox.backend, "srt");
  EXPECT_EQ(loaded.config.sandbox.mode, SandboxMode::kDisabled);
  EXPECT_TRUE(loaded.config.sandbox.runtime.cleanup_on_exit);
  EXPECT_EQ(loaded.config.sandbox.runtime.timeout, 300u);
  EXPECT_EQ(load_or_die(from_file(R"({"server": {}})")).config.sandbox.backend, "native");
  // Variables and flags alone are no block.
  EXPECT_TRUE(
      load_or_die({.environment = {{"ATOLL_SANDBOX__BACKEND", "docker"}}}).config.sandbox.enabled);
}

// covers: atoll config, C35
TEST(ConfigLoad, NetworkPresets) {
  Loaded loaded = load_or_die(from_file(R"({"network": {"presets": {"pypi": {
      "rules": [{"target": "packages.example.org", "ports": [443, "8000-8999"]},
                {"action": "deny", "target": "*"}],
      "no_intercept": ["packages.example.org"]}}}})"));
  model::NetworkPolicy policy = policy_of(loaded.config.network.presets.at("pypi"));
  ASSERT_EQ(policy.rules.size(), 2u);
  EXPECT_EQ(policy.rules[0].action, model::NetworkAction::kAllow);
  ASSERT_EQ(policy.rules[0].ports.size(), 2u);
  EXPECT_EQ(policy.rules[0].ports[0].first, 443);
  EXPECT_EQ(policy.rules[0].ports[1].last, 8999);
  EXPECT_EQ(policy.rules[1].action, model::NetworkAction::kDeny);
  EXPECT_EQ(policy.no_intercept, (std::vector<std::string>{"packages.example.org"}));
}

TEST(ConfigLoad, LaterSourcesWinAndOriginsAreKept) {
  Sources sources = from_file(
      "{\n  // c\n  \"server\": {\"unix_socket\": \"/a\", \"listen\": \"[::1]:1\"},\n"
      "  \"log\": {\"level\": \"warn\"}\n}");
  sources.environment = {{"ATOLL_SERVER__UNIX_SOCKET", "/b"}, {"ATOLL_LOG__LEVEL", "error"}};
  sources.overrides = {{"log.level", "debug", "--log-level"}};
  Loaded loaded = load_or_die(sources);
  EXPECT_EQ(loaded.config.server.listen, "[::1]:1");
  EXPECT_EQ(loaded.config.server.unix_socket, "/b");
  EXPECT_EQ(loaded.config.log.level, LogLevel::kDebug);
  EXPECT_EQ(loaded.origin_of("server.listen").to_string(), "f.json:3");
  EXPECT_EQ(loaded.origin_of("server.unix_socket").to_string(), "ATOLL_SERVER__UNIX_SOCKET");
  EXPECT_EQ(loaded.origin_of("log.level").to_string(), "--log-level");
  EXPECT_EQ(loaded.origin_of("pool.size").to_string(), "default");
  EXPECT_EQ(loaded.file, "f.json");
}

TEST(ConfigLoad, OverridesTakeAnySpellingAndJson) {
  Loaded loaded =
      load_or_die({.overrides = {{"sandbox.network.allowed_domains", R"(["a.com"])", "--set"},
                                 {"Sandbox.Mode", "shared", "--set"},
                                 {"pool", R"({"size": 3})", "--set"}}});
  EXPECT_EQ(loaded.config.sandbox.network.allowed_domains, std::vector<std::string>{"a.com"});
  EXPECT_EQ(loaded.config.sandbox.mode, SandboxMode::kShared);
  EXPECT_EQ(loaded.config.pool.size, 3u);
}

TEST(ConfigLoad, UnknownKeysNameTheNearest) {
  EXPECT_EQ(problem_of(R"({"sandbox": {
  "bakend": "srt"}})"),
            "f.json:2:3: /sandbox/bakend is unknown; did you mean \"backend\"?");
  EXPECT_EQ(problem_of(R"({"sandbox": {"network": {"allowed_domains": []}}})"),
            "f.json:1:26: /sandbox/network/allowed_domains is unknown; did you mean "
            "\"allowedDomains\"?");
  EXPECT_EQ(problem_of(R"({"filesystem": {}})"),
            "f.json:1:2: /filesystem is unknown; did you mean \"sandbox.filesystem\"?");
  EXPECT_EQ(problem_of(R"({"network": {"allowedDomains": []}})"),
            "f.json:1:14: /network/allowedDomains is unknown; did you mean "
            "\"sandbox.network.allowedDomains\"?");
  EXPECT_EQ(problem_of(R"({"zzzzzz": 1})"), "f.json:1:2: /zzzzzz is unknown");
}

TEST(ConfigLoad, WrongTypesAndRanges) {
  EXPECT_EQ(problem_of(R"({"auth": {"enabled": 1}})"),
            "f.json:1:22: /auth/enabled must be true or false");
  EXPECT_EQ(problem_of(R"({"pool": {"size": 1001}})"),
            "f.json:1:19: /pool/size must be a whole number from 0 to 1000");
  for (const char* value : {"-1", "1.5", "\"1\"", "null", "[]", "1e300", "99999999999999999999"}) {
    EXPECT_NE(problem_of(std::string(R"({"pool": {"size": )") + value + "}}"), "") << value;
  }
  EXPECT_EQ(problem_of(R"({"pool": {"size": 3.0}})"), "");
  EXPECT_EQ(problem_of(R"({"sandbox": {"mode": "per_session"}})"),
            "f.json:1:22: /sandbox/mode must be one of per-session, shared, disabled");
  EXPECT_EQ(problem_of(R"({"sandbox": {"filesystem": {"denyRead": ["a", 2]}}})"),
            "f.json:1:47: /sandbox/filesystem/denyRead/1 must be a string");
  EXPECT_EQ(problem_of(R"({"sandbox": null})"), "f.json:1:13: /sandbox must be an object");
  EXPECT_EQ(problem_of("[]"), "f.json:1:1: must be an object");
  EXPECT_EQ(problem_of(R"({"network": {"presets": {"a": {"rules": [{"target": "a b"}]}}}})")
                .find("f.json:1:53: /network/presets/a/rules/0/target "),
            0u);
  EXPECT_EQ(
      problem_of(R"({"network": {"presets": {"a": {"rules": [{"target": "a", "ports": ["x"]}]}}}})")
          .find("f.json:1:68: /network/presets/a/rules/0/ports/0 must be a port"),
      0u);
  EXPECT_EQ(problem_of(R"({"network": {"presets": {"a": {"default": "allow"}}}})"),
            "f.json:1:43: /network/presets/a/default is unknown");
  EXPECT_EQ(problem_of(R"({"network": {"presets": {"a": {"allow_private": ["10.0.0.1/8"]}}}})")
                .find("f.json:1:50: /network/presets/a/allow_private/0 "),
            0u);
  EXPECT_NE(problem_of(R"({"network": {"presets": {"a b": {}}}})"), "");
  EXPECT_NE(problem_of(R"({"network": {"presets": []}})"), "");
  EXPECT_EQ(problem_of(R"({"dialects": {"e2b": {"images": {"a/b": 1}}}})"),
            "f.json:1:41: /dialects/e2b/images/a~1b must be a string");
  EXPECT_EQ(problem_of(R"({"sandbox": {"backends": {"kubernetes": {"imagePullPolicy": "No"}}}})"),
            "f.json:1:61: /sandbox/backends/kubernetes/imagePullPolicy must be one of Always, "
            "IfNotPresent, Never");
}

TEST(ConfigLoad, TextsAreBounded) {
  std::string many = R"({"sandbox": {"network": {"deniedDomains": [)";
  for (int i = 0; i < 1001; ++i) many += "\"a.com\",";
  EXPECT_EQ(problem_of(many + "]}}}"),
            "f.json:1:43: /sandbox/network/deniedDomains must not have more than 1000 entries");
  EXPECT_EQ(problem_of(R"({"sandbox": {"backend": ")" + std::string(65, 'a') + "\"}}"),
            "f.json:1:25: /sandbox/backend must not be longer than 64 bytes");
}

TEST(ConfigLoad, TellsAllProblemsAtOnce) {
  Sources sources = from_file(R"({"a": 1, "server": {"listen": "x", "unix_socket": true}})");
  sources.environment = {{"ATOLL_POOL__SIZE", "many"}};
  sources.overrides = {{"pool.sise", "1", "--set"}};
  std::expected<Loaded, Problems> loaded = load(sources);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().size(), 5u) << texts(loaded.error());
  // Also those of other sources than a broken file.
  sources.file->text = "{";
  EXPECT_EQ(load(sources).error().size(), 3u);
}

TEST(ConfigLoad, WhatIsWrongIsNotTaken) {
  Layer layer;
  const Node* domains = find_path("sandbox.network.deniedDomains", ".").node;
  layer.add_text(*domains, R"(["good.com", "not a domain"])", {});
  EXPECT_EQ(layer.problems().size(), 1u);
  EXPECT_TRUE(layer.settings().empty());
  layer.add_text(*domains, R"(["good.com"])", {});
  EXPECT_EQ(layer.settings().count("sandbox.network.deniedDomains"), 1u);
}

TEST(ConfigLoad, ButNotThousands) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += "\"key" + std::to_string(i) + "\": 1,";
  std::expected<Loaded, Problems> loaded = load(from_file(text + "}"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().size(), Layer::kMaxProblems);
}

TEST(ConfigLoad, FieldsMustFitTogether) {
  EXPECT_EQ(problem_of(R"({"server": {"tls": {"cert_file": "a"}}})"),
            "f.json:1:34: /server/tls/cert_file needs /server/tls/key_file too");
  EXPECT_EQ(problem_of(R"({"server": {"tls": {"cert_file": "a", "key_file": "b"}}})"), "");
  EXPECT_NE(problem_of(R"({"server": {"listen": ""}})"), "");
  EXPECT_EQ(problem_of(R"({"server": {"listen": "", "unix_socket": "/run/a.sock"}})"), "");
  EXPECT_NE(problem_of(R"({"auth": {"enabled": false}, "server": {"listen": "0.0.0.0:1"}})"), "");
  EXPECT_EQ(problem_of(R"({"auth": {"enabled": false}, "server": {"listen": "127.0.0.2:1"}})"), "");
  EXPECT_EQ(problem_of(R"({"executions": {"max_timeout": 59, "test_timeout": 1}})"),
            "default: /executions/command_timeout is more than /executions/max_timeout");
}

TEST(ConfigLoad, ProblemsNeverShowValues) {
  std::string secret = "s3cret\\u0001";
  std::string text =
      problem_of(R"({"sandbox": {"opensandbox": {"local": {"apiKey": ")" + secret + R"("}}}})");
  EXPECT_NE(text, "");
  EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
}

}  // namespace
}  // namespace atl::config
