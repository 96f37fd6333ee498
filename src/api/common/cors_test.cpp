#include "api/common/cors.hpp"

#include <gtest/gtest.h>

namespace atl::api {
namespace {

const std::vector<std::string> kOrigins{"https://app.example.com", "http://localhost:5173"};

http::Request from(std::string_view origin, http::Method method = http::Method::kGet) {
  http::Request request{.method = method};
  if (!origin.empty()) request.headers.add("Origin", origin);
  return request;
}

TEST(Cors, PagesOfListedOriginsMayRead) {
  for (const std::string& origin : kOrigins) {
    http::Headers answer;
    EXPECT_FALSE(admit_page(kOrigins, from(origin), answer));
    EXPECT_EQ(answer.get("access-control-allow-origin"), origin);
    EXPECT_EQ(answer.get("access-control-expose-headers"), "*");
    EXPECT_EQ(answer.get("vary"), "Origin");
    EXPECT_FALSE(answer.has("access-control-allow-credentials"));
  }
}

TEST(Cors, OthersAreToldNothing) {
  for (std::string_view origin :
       {"", "null", "https://app.example.com.evil.example", "http://app.example.com",
        "https://app.example.com:8443", "HTTPS://APP.EXAMPLE.COM", "*"}) {
    http::Headers answer;
    EXPECT_FALSE(admit_page(kOrigins, from(origin), answer)) << origin;
    EXPECT_FALSE(answer.has("access-control-allow-origin")) << origin;
    EXPECT_EQ(answer.get("vary"), "Origin");
  }
  http::Request twice = from(kOrigins[0]);
  twice.headers.add("Origin", "https://evil.example");
  http::Headers answer;
  EXPECT_FALSE(admit_page(kOrigins, twice, answer));
  EXPECT_FALSE(answer.has("access-control-allow-origin"));
}

TEST(Cors, WithoutOriginsNothingChanges) {
  http::Headers answer;
  http::Request request = from(kOrigins[0], http::Method::kOptions);
  request.headers.add("Access-Control-Request-Method", "POST");
  EXPECT_FALSE(admit_page({}, request, answer));
  EXPECT_TRUE(answer.empty());
}

TEST(Cors, PreflightsOfListedOriginsAreAnswered) {
  http::Request request = from(kOrigins[0], http::Method::kOptions);
  http::Headers answer;
  EXPECT_FALSE(admit_page(kOrigins, request, answer));  // OPTIONS for the server in a sandbox
  request.headers.add("Access-Control-Request-Method", "DELETE");
  auto response = admit_page(kOrigins, request, answer);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 204);
  EXPECT_NE(response->headers.get("access-control-allow-methods").find("DELETE"),
            std::string::npos);
  EXPECT_TRUE(response->headers.has_token("access-control-allow-headers", "Authorization"));
  request.headers.set("Origin", "https://evil.example");
  http::Headers other;
  EXPECT_FALSE(admit_page(kOrigins, request, other));
}

}  // namespace
}  // namespace atl::api
