#include "api/common/proxy_headers.hpp"

#include <gtest/gtest.h>

namespace atl::api {
namespace {

// covers: C20
TEST(ProxyHeaders, TheKeyStaysOutside) {
  http::Request request;
  request.headers = {{"Host", "outside"},        {"Authorization", "Bearer secret"},
                     {"X-API-Key", "secret"},    {"Connection", "keep-alive, X-Private"},
                     {"X-Private", "1"},         {"X-Forwarded-Host", "lie"},
                     {"Content-Length", "3"},    {"Accept", "a/b"},
                     {"traceparent", "00-trace"}};
  http::Headers inside = request_headers(request, "/p");
  for (std::string_view gone :
       {"host", "authorization", "x-api-key", "connection", "x-private", "content-length"}) {
    EXPECT_FALSE(inside.has(gone)) << gone;
  }
  EXPECT_EQ(inside.get("accept"), "a/b");
  EXPECT_EQ(inside.get("traceparent"), "00-trace");
  EXPECT_EQ(inside.count("x-forwarded-host"), 1u);
  EXPECT_EQ(inside.get("x-forwarded-host"), "outside");
  EXPECT_EQ(inside.get("x-forwarded-prefix"), "/p");
}

TEST(ProxyHeaders, AuthorizationForTheServerInside) {
  http::Request request;
  request.headers = {{"Authorization", "Basic abc"}, {"X-API-Key", "secret"}};
  EXPECT_EQ(request_headers(request, "").get("authorization"), "Basic abc");
}

TEST(ProxyHeaders, UpgradesKeepTheirFields) {
  http::Request request;
  request.headers = {
      {"Connection", "Upgrade"}, {"Upgrade", "websocket"}, {"Sec-WebSocket-Key", "k"}};
  EXPECT_TRUE(is_upgrade(request.headers));
  http::Headers inside = request_headers(request, "");
  EXPECT_EQ(inside.get("upgrade"), "websocket");
  EXPECT_EQ(inside.get("sec-websocket-key"), "k");
}

TEST(ProxyHeaders, TargetIsPassedOnAsItIs) {
  http::Request request;
  request.target = "/api/v1/sessions/s/proxy/80/a%2Fb/c?x=%20&y";
  request.raw_rest = "a%2Fb/c";
  EXPECT_EQ(inside_target(request), "/a%2Fb/c?x=%20&y");
}

}  // namespace
}  // namespace atl::api
