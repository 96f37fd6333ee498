#include "backends/opensandbox/messages.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace atl::backends::opensandbox {
namespace {

boost::json::value body_of(const Settings& settings, const sandbox::SandboxSpec& spec) {
  return *codec::parse(create_body(settings, spec));
}

TEST(OpenSandboxMessages, AsksForTheDefaultsOfTheSeed) {
  Settings settings;
  settings.instance = "i";
  boost::json::value body = body_of(settings, {.id = SandboxId("s")});
  EXPECT_EQ(codec::serialize(body),
            R"({"image":{"uri":"opensandbox/code-interpreter:v1.0.1"},)"
            R"("entrypoint":["/opt/opensandbox/code-interpreter.sh"],"timeout":300,)"
            R"("resourceLimits":{"cpu":"500m","memory":"1Gi"},"env":{},)"
            R"("metadata":{"atoll.instance":"i","atoll.sandbox":"s"}})");
}

TEST(OpenSandboxMessages, LimitsThatWereAskedForWin) {
  sandbox::SandboxSpec spec{.id = SandboxId("s"), .image = "other:1"};
  spec.limits.cpus = 1.5;
  spec.limits.memory_bytes = 256u << 20;
  spec.asked = {.memory = true, .cpus = true};
  boost::json::value body = body_of({}, spec);
  EXPECT_EQ(body.at("image").at("uri"), "other:1");
  EXPECT_EQ(body.at("resourceLimits").at("cpu"), "1500m");
  EXPECT_EQ(body.at("resourceLimits").at("memory"), "256Mi");
}

TEST(OpenSandboxMessages, DomainsBecomeAPolicy) {
  Settings settings;
  settings.allowed_domains = {"*.example.org"};
  settings.denied_domains = {"bad.example.org"};
  EXPECT_EQ(codec::serialize(body_of(settings, {}).at("networkPolicy")),
            R"({"defaultAction":"deny","egress":[{"action":"deny","target":"bad.example.org"},)"
            R"({"action":"allow","target":"*.example.org"}]})");
  settings.allowed_domains.clear();
  EXPECT_EQ(body_of(settings, {}).at("networkPolicy").at("defaultAction"), "allow");
}

// It is all there is, but for what the server's own configuration denies.
TEST(OpenSandboxMessages, TheSessionsPolicyComesFirst) {
  Settings settings;
  settings.allowed_domains = {"*.example.org"};
  settings.denied_domains = {"bad.example.org"};
  sandbox::SandboxSpec closed{.network = {.allow_others = false}};
  EXPECT_EQ(codec::serialize(body_of(settings, closed).at("networkPolicy")),
            R"({"defaultAction":"deny","egress":[{"action":"deny","target":"bad.example.org"}]})");
  sandbox::SandboxSpec open{.network = {.denied_domains = {"a.test"}, .allow_others = true}};
  EXPECT_EQ(codec::serialize(body_of({}, open).at("networkPolicy")),
            R"({"defaultAction":"allow","egress":[{"action":"deny","target":"a.test"}]})");
  EXPECT_EQ(codec::serialize(body_of({}, {.network = {.allow_others = false}}).at("networkPolicy")),
            R"({"defaultAction":"deny","egress":[]})");
}

TEST(OpenSandboxMessages, AVolumeIsAClaimOrAFolder) {
  Settings settings;
  settings.volume = {.mount_path = "/tos", .claim = "vikingbot-tos-pvc"};
  boost::json::value claim = body_of(settings, {});
  EXPECT_EQ(codec::serialize(claim.at("volumes")),
            R"([{"name":"tos","mountPath":"/tos","pvc":{"claimName":"vikingbot-tos-pvc",)"
            R"("createIfNotExists":false}}])");
  EXPECT_EQ(claim.at("env").at("TOS_MOUNT_PATH"), "/tos");
  settings.volume = {.mount_path = "/tos", .host_path = "/home/me/.atoll/tos"};
  EXPECT_EQ(codec::serialize(body_of(settings, {}).at("volumes").at(0).at("host")),
            R"({"path":"/home/me/.atoll/tos"})");
}

TEST(OpenSandboxMessages, RenewsUntilAMomentInUtc) {
  auto moment = std::chrono::system_clock::from_time_t(1'794'765'019);
  EXPECT_EQ(renew_body(moment), R"({"expiresAt":"2026-11-15T17:50:19Z"})");
}

TEST(OpenSandboxMessages, AnswersAreReadAsFarAsNeeded) {
  auto info = read_info(R"({"id":"a","status":{"state":"Running","reason":"X"},"createdAt":"…",
                            "metadata":{"k":"v"},"new":1})");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->state, "Running");
  EXPECT_EQ(info->metadata["k"], "v");
  for (std::string_view bad : {"", "null", "[]", "{\"id\":\"a\"}", "<html>", "{\"id\":1}"}) {
    auto refused = read_info(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), Code::kBackend);
  }
  auto endpoint = read_endpoint(R"({"endpoint":"h:1/proxy/44772/","headers":{"A":"b"}})");
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->address, "h:1/proxy/44772");
  EXPECT_FALSE(read_endpoint(R"({"endpoint":""})"));
  EXPECT_FALSE(read_endpoint(R"({"endpoint":"file:///etc/passwd"})"));
}

TEST(OpenSandboxMessages, ErrorsSayWhatTheServerSaid) {
  Error missing = error_of(404, R"({"code":"DOCKER::SANDBOX_NOT_FOUND","message":"not found."})");
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_NE(missing.message().find("DOCKER::SANDBOX_NOT_FOUND: not found."), std::string::npos);
  EXPECT_EQ(error_of(500, "").code(), Code::kBackend);
  EXPECT_EQ(error_of(401, "").code(), Code::kUnauthenticated);
  EXPECT_EQ(error_of(503, "<html>").code(), Code::kResourceExhausted);
  EXPECT_NE(error_of(422, R"({"detail":[{"msg":"too small"}]})").message().find("too small"),
            std::string::npos);
  EXPECT_NE(error_of(400, R"({"code":"VOLUME::HOST_PATH_NOT_ALLOWED","message":"m"})")
                .message()
                .find("allowed_host_paths"),
            std::string::npos);
  EXPECT_EQ(error_of(500, "a\nb\x01").message(), "OpenSandbox answered 500: a b ");
}

}  // namespace
}  // namespace atl::backends::opensandbox
