#include "api/rest/network_bodies.hpp"

#include <gtest/gtest.h>

#include "api/rest/call.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {
namespace {

Answer<control::NetworkRequest> request_of(std::string_view text) {
  ATOLL_TRY(bodies::NetworkPolicyBody body, decode_body<bodies::NetworkPolicyBody>(text));
  return to_request(std::move(body), "/config/network");
}

// Where the fault is, and its status.
std::string wrong_at(std::string_view text) {
  Answer<control::NetworkRequest> request = request_of(text);
  if (request) return "";
  return std::to_string(request.error().response("").status) + " " +
         request.error().at.value_or("-");
}

TEST(NetworkBodies, ComesBackAsItWasGiven) {
  const char* text =
      R"({"default":"allow",)"
      R"("rules":[{"action":"deny","target":"*.example.org","ports":[443,"8000-8999"]},)"
      R"({"action":"allow","target":"10.0.0.0/8"}],)"
      R"("allow_private":["10.0.0.0/8"],)"
      R"("headers":{"api.example.com":{"Authorization":{"secret":"token"},"X-Team":"blue"}},)"
      R"("secrets":[{"env":"TOKEN","secret":"token","hosts":["api.example.com"]}],)"
      R"("no_intercept":["pinned.example.com"]})";
  Answer<control::NetworkRequest> request = request_of(text);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->at, "/config/network");
  EXPECT_EQ(request->policy.rules[0].ports[1].last, 8999);
  EXPECT_EQ(request->policy.headers["api.example.com"]["Authorization"].secret, "token");
  EXPECT_EQ(codec::to_json(policy_view(request->policy)), codec::parse(text).value());
}

TEST(NetworkBodies, NothingSaidIsDeny) {
  Answer<control::NetworkRequest> request = request_of(R"({"preset":"pypi"})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->preset, "pypi");
  EXPECT_EQ(request->policy.default_, model::NetworkAction::kDeny);
  EXPECT_FALSE(model::allows_anything(request->policy));
}

TEST(NetworkBodies, FaultsPointAtThePlace) {
  EXPECT_EQ(wrong_at(R"({"rules":[{"action":"allow"}]})"), "400 /config/network/rules/0/target");
  EXPECT_EQ(wrong_at(R"({"rules":[{"action":"allow","target":"a","ports":[]}]})"),
            "422 /config/network/rules/0/ports");
  for (const char* port : {"65536", "-1", "\"a\"", "\"2-1\"", "\"\"", "\"1-65536\""}) {
    std::string text = R"({"rules":[{"target":"a","ports":[80,)" + std::string(port) + "]}]}";
    EXPECT_EQ(wrong_at(text), "422 /config/network/rules/0/ports/1") << port;
  }
  for (const char* port : {"1.5", "true", "null", "{}"}) {
    std::string text = R"({"rules":[{"target":"a","ports":[)" + std::string(port) + "]}]}";
    EXPECT_EQ(wrong_at(text), "400 /config/network/rules/0/ports/0") << port;
  }
  for (const char* header : {"7", "null", "{}", R"({"secret":1})", R"({"secret":"a","x":1})"}) {
    std::string text = R"({"headers":{"a.b":{"X/Y":)" + std::string(header) + "}}}";
    EXPECT_EQ(wrong_at(text), "400 /config/network/headers/a.b/X~1Y") << header;
  }
  EXPECT_EQ(wrong_at(R"({"default":"maybe"})"), "422 /default");
  EXPECT_EQ(wrong_at(R"({"rule":[]})"), "400 /rule");
}

}  // namespace
}  // namespace atl::api::rest
