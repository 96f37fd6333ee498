// Quotas over REST.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"

namespace atl::api::rest::test {
namespace {

constexpr const char* kPath = "/api/v1/tenants/default";

Task<void> quotas(Api* api) {
  Reply none = co_await api->call(Method::kGet, kPath);
  EXPECT_EQ(none.status, 200) << none.body;
  EXPECT_TRUE(none.json().at("quotas").as_object().empty());
  Reply set = co_await api->call(Method::kPut, kPath, R"({"quotas":{"sessions":1,"cpu":2.5}})");
  EXPECT_EQ(set.status, 200) << set.body;
  EXPECT_EQ(set.at({"quotas", "sessions"}), "1");
  co_await api->make_session();
  Reply beyond =
      co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"shell-default"})");
  EXPECT_EQ(beyond.status, 429) << beyond.body;
  EXPECT_EQ(beyond.at({"code"}), "quota_exceeded");
  EXPECT_EQ(beyond.at({"quota"}), "sessions");
  EXPECT_EQ(beyond.headers.get("retry-after"), "1");
  Reply shown = co_await api->call(Method::kGet, kPath);
  EXPECT_EQ(shown.at({"usage", "sessions"}), "1");
  for (auto [body, status] : {std::pair(R"({"quotas":{"sesions":1}})", 400), std::pair("{}", 400),
                              std::pair(R"({"quotas":{"sessions":-1}})", 422)}) {
    Reply bad = co_await api->call(Method::kPut, kPath, body);
    EXPECT_EQ(bad.status, status) << body << bad.body;
  }
}

Task<void> flood(Api* api) {
  Reply set =
      co_await api->call(Method::kPut, kPath, R"({"quotas":{"requests_per_second":0.001}})");
  EXPECT_EQ(set.status, 200) << set.body;
  Reply first = co_await api->call(Method::kGet, "/api/v1/sessions");
  EXPECT_EQ(first.status, 200) << first.body;
  Reply beyond = co_await api->call(Method::kGet, "/api/v1/sessions");
  EXPECT_EQ(beyond.status, 429) << beyond.body;
  EXPECT_EQ(beyond.at({"quota"}), "requests_per_second");
  EXPECT_NE(beyond.headers.get("retry-after"), "1");
  Reply health = co_await api->call(Method::kGet, "/api/v1/health");
  EXPECT_EQ(health.status, 200) << "what anybody may ask costs nothing";
}

// covers: getTenant, putTenant
TEST(TenantRoutes, SayWhichQuotaIsUsedUp) { with_api(quotas); }
TEST(TenantRoutes, RefuseAFlood) { with_api(flood); }

}  // namespace
}  // namespace atl::api::rest::test
