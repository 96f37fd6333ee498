// What is parsed and rendered without a server.
#include <gtest/gtest.h>

#include "api/opensandbox/errors.hpp"
#include "api/opensandbox/file_view.hpp"
#include "api/opensandbox/policy.hpp"
#include "api/opensandbox/sandbox_view.hpp"
#include "codec/json.hpp"

namespace atl::api::opensandbox {
namespace {

TEST(OpenSandboxViews, ModesLookOctal) {
  EXPECT_EQ(mode_digits(0755), 755u);
  EXPECT_EQ(mode_digits(0), 0u);
  EXPECT_EQ(mode_from_digits(640), 0640u);
  EXPECT_EQ(mode_from_digits(777), 0777u);
  for (std::uint32_t wrong : {8u, 788u, 1777u, 4294967295u}) {
    EXPECT_FALSE(mode_from_digits(wrong)) << wrong;
  }
}

TEST(OpenSandboxViews, LinesOfAFile) {
  auto within = [](std::uint64_t first, std::uint64_t count) {
    LineWindow window(first, count);
    std::string all;
    for (std::string_view piece : {"on", "e\ntwo\nth", "", "ree\nfour"}) all += window.take(piece);
    return all;
  };
  EXPECT_EQ(within(1, 1), "one\n");
  EXPECT_EQ(within(2, 2), "two\nthree\n");
  EXPECT_EQ(within(3, 100), "three\nfour");
  EXPECT_EQ(within(4, 1), "four");
  EXPECT_EQ(within(5, 1), "");
}

TEST(OpenSandboxViews, Quantities) {
  auto resources = to_resources({{"cpu", "500m"}, {"memory", "512Mi"}, {"disk", "1G"}, {"x", "y"}});
  ASSERT_TRUE(resources.has_value());
  EXPECT_EQ(resources->cpu, 0.5);
  EXPECT_EQ(resources->memory, 512u);
  EXPECT_EQ(resources->disk, 954u);
  EXPECT_EQ(to_resources({{"memory", "1"}})->memory, 8u);
  EXPECT_EQ(to_resources({{"cpu", "2"}})->cpu, 2.0);
  for (const char* wrong :
       {"", "x", "-1", "1e9", "1e400", "1Zi", ".", "1.2.3", "0", "999999999999Ti"}) {
    EXPECT_FALSE(to_resources({{"memory", wrong}})) << wrong;
  }
  EXPECT_FALSE(to_resources({{"cpu", "1000000"}}));
  EXPECT_FALSE(to_resources({{"gpu", "1"}}));
}

TEST(OpenSandboxViews, EntryPoints) {
  for (std::vector<std::string> idle :
       {std::vector<std::string>{"tail", "-f", "/dev/null"}, {"/usr/bin/sleep", "infinity"}, {}}) {
    EXPECT_TRUE(only_waits(idle));
  }
  EXPECT_FALSE(only_waits({"sleep", "5"}));
  EXPECT_FALSE(only_waits({"python", "a.py"}));
  EXPECT_TRUE(is_code_interpreter({"/opt/opensandbox/code-interpreter.sh"}));
  EXPECT_FALSE(is_code_interpreter({}));
}

TEST(OpenSandboxViews, MetadataFilters) {
  auto filter = parse_metadata_filter("a=1&b%26=x%20y&c=");
  ASSERT_TRUE(filter.has_value());
  EXPECT_EQ(*filter, (StringMap{{"a", "1"}, {"b&", "x y"}, {"c", ""}}));
  for (const char* wrong : {"a", "=1", "a=%zz", "a=1&&b=2"}) {
    EXPECT_FALSE(parse_metadata_filter(wrong)) << wrong;
  }
}

TEST(OpenSandboxViews, Pages) {
  EXPECT_EQ(codec::serialize(pagination(1, 2, 3)),
            R"({"page":1,"pageSize":2,"totalItems":3,"totalPages":2,"hasNextPage":true})");
  EXPECT_EQ(codec::serialize(pagination(1, 20, 0)),
            R"({"page":1,"pageSize":20,"totalItems":0,"totalPages":0,"hasNextPage":false})");
}

TEST(OpenSandboxViews, PoliciesThereAndBack) {
  auto request = to_network({.default_action = "deny",
                             .egress = std::vector<RuleBody>{{"allow", "a.org"}, {"deny", "*"}}},
                            "/p");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(codec::serialize(policy_status(request->policy).at("policy")),
            R"({"defaultAction":"deny","egress":[{"action":"allow","target":"a.org"},)"
            R"({"action":"deny","target":"*"}]})");
  auto wrong = to_network({.egress = std::vector<RuleBody>{{"allow", ""}}}, "/p");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().at, "/p/egress/0/target");
}

TEST(OpenSandboxViews, RefusalsHaveABody) {
  http::Request request{.path = "/v1/sandboxes/x"};
  auto code_at = [&](std::string path, Code code) {
    request.path = std::move(path);
    http::Response response = render(Refusal(Error(code, "why")), request);
    EXPECT_GE(response.status, 400);
    auto body = codec::parse(response.body);
    return body ? std::string(body->at("code").as_string()) : response.body;
  };
  EXPECT_EQ(code_at("/v1/sandboxes/x", Code::kSessionNotFound), "SANDBOX::NOT_FOUND");
  EXPECT_EQ(code_at("/v1/snapshots/x", Code::kNotFound), "SNAPSHOT::NOT_FOUND");
  EXPECT_EQ(code_at("/v1/sandboxes", Code::kUnauthenticated), "MISSING_API_KEY");
  EXPECT_EQ(code_at("/v1/sandboxes", Code::kPolicyUnsupported), "SANDBOX::POLICY_UNSUPPORTED");
  EXPECT_EQ(code_at("/sandboxes/x/proxy/44772/files/info", Code::kNotFound), "FILE_NOT_FOUND");
  EXPECT_EQ(code_at("/sandboxes/x/proxy/44772/code", Code::kNotFound), "CONTEXT_NOT_FOUND");
  EXPECT_EQ(code_at("/sandboxes/x/proxy/18080/policy", Code::kForbidden), "why\n");
  request.headers.set("OPEN-SANDBOX-API-KEY", "wrong");
  EXPECT_EQ(code_at("/v1/sandboxes", Code::kUnauthenticated), "INVALID_API_KEY");
}

}  // namespace
}  // namespace atl::api::opensandbox
