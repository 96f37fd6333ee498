#include "config/environment.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/config.hpp"
#include "backends/opensandbox/config.hpp"
#include "config/test_sources.hpp"

namespace atl::config {
namespace {

Config with(std::vector<Variable> variables) {
  return load_or_die({.environment = std::move(variables)}).config;
}
std::string complaint(std::vector<Variable> variables) {
  return problems_of({.environment = std::move(variables)});
}

TEST(ConfigEnvironment, AnySpellingOfAPath) {
  for (const char* name :
       {"ATOLL_SANDBOX__NETWORK__ALLOWED_DOMAINS", "ATOLL_SANDBOX__NETWORK__ALLOWEDDOMAINS",
        "ATOLL_sandbox__network__allowedDomains", "ATOLL_Sandbox__Network__Allowed_Domains"}) {
    EXPECT_EQ(with({{name, R"(["a.com", "b.com"])"}}).sandbox.network.allowed_domains.size(), 2u)
        << name;
  }
  EXPECT_EQ(with({{"ATOLL_SANDBOX__BACKENDS__KUBERNETES__NAMESPACE", "x"}})
                .sandbox.backends.of<backends::kubernetes::Config>()
                .namespace_,
            "x");
}

TEST(ConfigEnvironment, ValuesAreJsonWhereNoStringIsAskedFor) {
  EXPECT_FALSE(with({{"ATOLL_AUTH__ENABLED", "false"}}).auth.enabled);
  EXPECT_EQ(with({{"ATOLL_SANDBOX__RUNTIME__TIMEOUT", " 10 "}}).sandbox.runtime.timeout, 10u);
  EXPECT_EQ(with({{"ATOLL_STORE__URL", "postgres://u@h/d"}}).store.url, "postgres://u@h/d");
  EXPECT_EQ(with({{"ATOLL_SANDBOX__BOOTSTRAP__INIT_DIR", ""}}).sandbox.bootstrap.init_dir, "");
  EXPECT_EQ(with({{"ATOLL_DIALECTS__E2B__IMAGES", R"({"Base": "python-default"})"}})
                .dialects.e2b.images.at("Base"),
            "python-default");
  EXPECT_EQ(complaint({{"ATOLL_AUTH__ENABLED", "no"}}),
            "ATOLL_AUTH__ENABLED: /auth/enabled must be true or false");
  EXPECT_EQ(complaint({{"ATOLL_SANDBOX__FILESYSTEM__DENY_READ", "a,b"}}),
            "ATOLL_SANDBOX__FILESYSTEM__DENY_READ: /sandbox/filesystem/denyRead must be a list of "
            "strings, such as [\"a\", \"b\"]");
  EXPECT_EQ(complaint({{"ATOLL_SERVER__UNIX_SOCKET", "/\xff"}}),
            "ATOLL_SERVER__UNIX_SOCKET: /server/unix_socket must be UTF-8");
}

TEST(ConfigEnvironment, AtollWinsOverNanobot) {
  Loaded loaded = load_or_die({.environment = {{"ATOLL_SANDBOX__BACKEND", "docker"},
                                               {"NANOBOT_SANDBOX__BACKEND", "opensandbox"},
                                               {"NANOBOT_SANDBOX__MODE", "shared"}}});
  EXPECT_EQ(loaded.config.sandbox.backend, "docker");
  EXPECT_EQ(loaded.config.sandbox.mode, SandboxMode::kShared);
  EXPECT_EQ(loaded.origin_of("sandbox.mode").to_string(), "NANOBOT_SANDBOX__MODE");
}

TEST(ConfigEnvironment, OfADeploymentOfOpenSandbox) {
  Config config = with({{"NANOBOT_SANDBOX__BACKEND", "opensandbox"},
                        {"NANOBOT_SANDBOX__OPENSANDBOX__MODE", "vke"},
                        {"NANOBOT_SANDBOX__OPENSANDBOX__VKE__SERVER_URL", "http://s:8080"},
                        {"NANOBOT_SANDBOX__OPENSANDBOX__VKE__API_KEY", "key"}});
  EXPECT_EQ(config.sandbox.backend, "opensandbox");
  EXPECT_EQ(config.sandbox.backends.of<backends::opensandbox::Config>().mode,
            backends::opensandbox::Mode::kVke);
  EXPECT_EQ(config.sandbox.backends.of<backends::opensandbox::Config>().vke.server_url,
            "http://s:8080");
  EXPECT_EQ(config.sandbox.backends.of<backends::opensandbox::Config>().vke.api_key, "key");
}

TEST(ConfigEnvironment, UnknownNames) {
  EXPECT_EQ(complaint({{"ATOLL_SERVER__LISTN", "x"}}),
            "ATOLL_SERVER__LISTN: /server/LISTN is unknown; did you mean \"listen\"?");
  EXPECT_EQ(complaint({{"ATOLL_SERVER__LISTEN__X", "x"}}),
            "ATOLL_SERVER__LISTEN__X: /server/listen/X is unknown: /server/listen is one value");
  EXPECT_NE(complaint({{"ATOLL_SERVR__LISTEN", "x"}}), "");
  EXPECT_NE(complaint({{"NANOBOT_SANDBOX__BAKEND", "x"}}), "");
  // Not ours.
  EXPECT_EQ(complaint({{"ATOLL_KEY", "x"}, {"NANOBOT_PROVIDERS__X__KEY", "x"}, {"ATOLL_", "x"}}),
            "");
  EXPECT_EQ(complaint({{"ATOLL_SERVER", "http://127.0.0.1:8080"}}), "");
}

TEST(ConfigEnvironment, BlocksAndTheirFields) {
  Config config = with({{"ATOLL_SERVER__UNIX_SOCKET", "/b"},
                        {"ATOLL_SERVER", R"({"unix_socket": "/a", "listen": "127.0.0.1:1"})"}});
  EXPECT_EQ(config.server.unix_socket, "/b");
  EXPECT_EQ(config.server.listen, "127.0.0.1:1");
  EXPECT_EQ(complaint({{"ATOLL_LOG", "debug"}}), "ATOLL_LOG: /log must be an object");
}

TEST(ConfigEnvironment, OneFieldTwice) {
  EXPECT_EQ(complaint({{"ATOLL_POOL__MAX_TOTAL", "1"}, {"ATOLL_POOL__MAXTOTAL", "2"}}),
            "ATOLL_POOL__MAX_TOTAL: /pool/max_total is set already, by ATOLL_POOL__MAXTOTAL");
  EXPECT_NE(complaint({{"ATOLL_SANDBOX__OPENSANDBOX__MODE", "vke"},
                       {"ATOLL_SANDBOX__BACKENDS__OPENSANDBOX__MODE", "local"}}),
            "");
}

TEST(ConfigEnvironment, PicksItsOwn) {
  const char* environment[] = {
      "PATH=/bin", "NANOBOT_B=2=3", "ATOLL_A=", "ATOLLX=1", "ATOLL_", nullptr};
  std::vector<Variable> own = own_variables(environment);
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[0].name, "ATOLL_A");
  EXPECT_EQ(own[1].value, "2=3");
  EXPECT_TRUE(own_variables(nullptr).empty());
}

}  // namespace
}  // namespace atl::config
