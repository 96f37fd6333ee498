#include "api/common/page_headers.hpp"

#include <gtest/gtest.h>

namespace atl::api {
namespace {

const InsidePlace kPlace{.prefix = "/api/v1/sessions/s/proxy/8000",
                         .target = "/dir/page?q=1",
                         .outside_host = "localhost:8080",
                         .port = 8000};

// covers: C43
TEST(PageHeaders, NothingSpeaksForTheOriginOfTheApi) {
  http::Headers inside{{"Content-Type", "text/html"},
                       {"Content-Security-Policy", "default-src 'none'"},
                       {"Sec-WebSocket-Accept", "x"}};
  for (const char* name :
       {"Set-Cookie", "set-cookie2", "Service-Worker-Allowed", "Clear-Site-Data",
        "Strict-Transport-Security", "Public-Key-Pins", "Alt-Svc", "NEL", "Report-To",
        "Reporting-Endpoints", "Access-Control-Allow-Origin", "ACCESS-CONTROL-ALLOW-CREDENTIALS",
        "Access-Control-Max-Age", "Set-Login", "Sec-Session-Registration", "Accept-CH"}) {
    inside.add(name, "x");
  }
  for (bool upgrade : {false, true}) {
    http::Headers out = for_api_origin(inside, kPlace, upgrade);
    EXPECT_EQ(out.size(), upgrade ? 3u : 4u);
    EXPECT_EQ(out.get("content-type"), "text/html");
    EXPECT_EQ(out.get("content-security-policy"), "default-src 'none'");
    EXPECT_EQ(out.get("sec-websocket-accept"), "x");
    EXPECT_EQ(out.count("content-security-policy"), upgrade ? 1u : 2u);
  }
  http::Headers bare = for_api_origin({}, kPlace, false);
  std::string_view own = bare.get("content-security-policy");
  EXPECT_TRUE(own.starts_with("sandbox ")) << own;
  EXPECT_EQ(own.find("same-origin"), std::string_view::npos);
}

// A client follows a redirect with its key in hand.
// covers: C43
TEST(PageHeaders, RedirectsStayAtThePort) {
  const std::string& prefix = kPlace.prefix;
  for (auto [inside, outside] : {std::pair{"/x?y#z", "/x?y#z"},
                                 {"/", "/"},
                                 {"next", "/dir/next"},
                                 {"../up", "/up"},
                                 {"?r", "/dir/page?r"},
                                 {"", "/dir/page"},
                                 {"http://localhost:8000/a", "/a"},
                                 {"http://127.0.0.1:8000", "/"},
                                 {"//localhost:8000?q", "/?q"},
                                 {"http://localhost:8080/b", "/b"},
                                 {"/api/v1/keys", "/api/v1/keys"},
                                 {"http://LOCALHOST:8080/api/v1/keys", "/api/v1/keys"},
                                 {"../../../../../../keys", "/keys"},
                                 {"/%2e%2E/.%2e/%2e/keys", "/keys"},
                                 {"/a/..", "/"},
                                 {"/a/b/.", "/a/b/"},
                                 {"/a//b", "/a//b"}}) {
    auto location = outside_location(inside, kPlace);
    ASSERT_TRUE(location) << inside;
    EXPECT_EQ(*location, prefix + outside) << inside;
  }
  EXPECT_EQ(outside_location(prefix + "/x", kPlace), prefix + "/x");
  EXPECT_EQ(outside_location("http://localhost:8080" + prefix + "/x", kPlace), prefix + "/x");
  EXPECT_EQ(outside_location(prefix + "/../../../../keys", kPlace), prefix + "/api/v1/keys");
  for (const char* elsewhere :
       {"http://evil.example/", "//evil.example", "https://localhost:1/", "http://localhost/",
        "/\\evil.example", "\t//evil.example", "http:/evil.example", "javascript:alert(1)",
        "HTTPS:evil", "http://localhost:8000@evil.example/", "data:text/html,x", "/a b"}) {
    EXPECT_FALSE(outside_location(elsewhere, kPlace)) << elsewhere;
  }
  http::Headers out = for_api_origin({{"Location", "http://evil.example/"}}, kPlace, false);
  EXPECT_FALSE(out.has("location"));
}

// covers: C43
TEST(PageHeaders, CookiesOfAPreviewAreOfItsHost) {
  for (auto [set, kept] :
       {std::pair{"a=1; Domain=example.com; Path=/x; Secure", "a=1; Path=/x; Secure"},
        {"a=1;DOMAIN = .example.com;HttpOnly", "a=1; HttpOnly"},
        {"a=1; domain", "a=1"},
        {"domain=1", "domain=1"},
        {"a=1", "a=1"},
        {"=x; Domain=a", "=x"}}) {
    EXPECT_EQ(host_cookie(set), kept) << set;
  }
  EXPECT_FALSE(host_cookie("atoll_preview=; Max-Age=0"));
  EXPECT_FALSE(host_cookie(" __host-atoll_preview=x; Path=/"));
  http::Headers out = for_own_host({{"Set-Cookie", "a=1; Domain=b"},
                                    {"Set-Cookie", "atoll_preview=x"},
                                    {"Clear-Site-Data", "\"cookies\""},
                                    {"Alt-Svc", "h3=\":1\""},
                                    {"Access-Control-Allow-Origin", "*"},
                                    {"Location", "http://evil.example/"}});
  EXPECT_EQ(out.size(), 3u);
  EXPECT_EQ(out.get("set-cookie"), "a=1");
  EXPECT_EQ(out.get("access-control-allow-origin"), "*");
  EXPECT_TRUE(out.has("location"));
}

}  // namespace
}  // namespace atl::api
