// A web page in the operator's browser attacks the server, and so does a page out of a sandbox.
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

constexpr const char* kSessions = "/api/v1/sessions";

Task<void> expect_refused(Api* api, std::string code, http::Headers more) {
  Reply made = co_await api->call(Method::kPost, kSessions, "{}", more);
  EXPECT_EQ(made.status, 403) << made.body;
  EXPECT_EQ(made.at({"code"}), code) << made.body;
  more.set("Connection", "Upgrade");
  more.set("Upgrade", "websocket");
  Reply socket = co_await api->call(Method::kGet, "/api/v1/sessions/x/pty", {}, more);
  EXPECT_EQ(socket.status, 403) << socket.body;
  EXPECT_EQ(socket.at({"code"}), code) << socket.body;
}

Task<void> names(Api* api) {
  std::string port = api->address.substr(api->address.rfind(':'));
  for (std::string host : {"evil.example", "localhost.evil.example", "0.0.0.0", ""}) {
    std::string whole = host.empty() ? host : host + port;
    co_await expect_refused(api, "foreign_host", {{"Host", whole}});
    co_await expect_refused(api, "foreign_host", {{"Host", whole}, {"Origin", "http://" + whole}});
    Reply open = co_await api->call(Method::kGet, "/health", {}, {{"Host", whole}});
    EXPECT_EQ(open.status, 403) << open.body;
  }
  Reply none = co_await api->call(Method::kGet, kSessions);
  EXPECT_EQ(none.at({"sessions"}), "[]") << none.body;
  for (std::string host : {"localhost", "LocalHost", "atoll.localhost", "127.8.8.8", "[::1]"}) {
    Reply made = co_await api->call(Method::kPost, kSessions, "{}",
                                    {{"Host", host + port}, {"Origin", "http://" + host + port}});
    EXPECT_EQ(made.status, 202) << host << made.body;
    Reply plain = co_await api->call(Method::kGet, kSessions, {}, {{"Host", host}});
    EXPECT_EQ(plain.status, 200) << host << plain.body;
  }
}

Task<void> pages(Api* api) {
  std::string port = api->address.substr(api->address.rfind(':'));
  for (std::string origin : {"http://evil.example", "null", "http://localhost:1"}) {
    co_await expect_refused(api, "foreign_origin", {{"Origin", origin}});
  }
  Reply image =
      co_await api->call(Method::kGet, kSessions, {},
                         {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}});
  EXPECT_EQ(image.at({"code"}), "foreign_origin") << image.body;
  Reply link =
      co_await api->call(Method::kGet, kSessions, {},
                         {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}});
  EXPECT_EQ(link.at({"sessions"}), "[]") << link.body;
}

// The key protects: whatever name a reverse proxy or a page uses.
Task<void> with_keys(Api* api) {
  auto made = co_await api->control->keys().create({}, {});
  http::Headers foreign{{"Host", "atoll.example"}, {"Origin", "http://evil.example"}};
  Reply without = co_await api->call(Method::kGet, kSessions, {}, foreign);
  EXPECT_EQ(without.status, 401) << without.body;
  foreign.set("X-API-Key", made->secret);
  Reply with = co_await api->call(Method::kGet, kSessions, {}, foreign);
  EXPECT_EQ(with.status, 200) << with.body;
}

// A page that the operator lists calls with its key, and may read what it is told.
Task<void> listed_pages(Api* api) {
  auto made = co_await api->control->keys().create({}, {});
  http::Headers page{{"Origin", "https://app.example"}};
  http::Headers ask = page;
  ask.set("Access-Control-Request-Method", "POST");
  ask.set("Access-Control-Request-Headers", "authorization,content-type");
  Reply preflight = co_await api->call(Method::kOptions, kSessions, {}, ask);
  EXPECT_EQ(preflight.status, 204) << preflight.body;
  EXPECT_EQ(preflight.headers.get("access-control-allow-origin"), "https://app.example");
  Reply refused = co_await api->call(Method::kGet, kSessions, {}, page);
  EXPECT_EQ(refused.status, 401) << refused.body;
  EXPECT_EQ(refused.headers.get("access-control-allow-origin"), "https://app.example");
  page.set("Authorization", "Bearer " + made->secret);
  Reply with = co_await api->call(Method::kGet, kSessions, {}, page);
  EXPECT_EQ(with.status, 200) << with.body;
  EXPECT_EQ(with.headers.get("access-control-allow-origin"), "https://app.example");
  ask.set("Origin", "https://evil.example");
  Reply other = co_await api->call(Method::kOptions, kSessions, {}, ask);
  EXPECT_EQ(other.status, 401) << other.body;
  EXPECT_FALSE(other.headers.has("access-control-allow-origin"));
  ask.set("Origin", "https://app.example");
  ask.set("Host", "8000-01hzy3v9k2m4n6p8q0r2s4t6v8.localhost");
  Reply preview = co_await api->call(Method::kOptions, "/", {}, ask);
  EXPECT_FALSE(preview.headers.has("access-control-allow-origin"));
}

Task<void> listed_pages_without_keys(Api* api) {
  co_await expect_refused(api, "foreign_origin", {{"Origin", "https://app.example"}});
}

// covers: C41
TEST(WebRoutes, WithoutKeysOnlyLoopbackNames) { with_api(names); }
// covers: C41
TEST(WebRoutes, WithoutKeysNoPagesOfOthers) { with_api(pages); }
TEST(WebRoutes, WithKeysAnyName) { with_api(with_keys, {.keys = true}); }
TEST(WebRoutes, PagesOfListedOrigins) {
  with_api(listed_pages, {.keys = true, .cors_origins = {"https://app.example"}});
}
// covers: C41
TEST(WebRoutes, WithoutKeysNoListedPagesEither) {
  with_api(listed_pages_without_keys, {.cors_origins = {"https://app.example"}});
}

}  // namespace
}  // namespace atl::api::rest::test
