#include "api/common/host.hpp"

#include <gtest/gtest.h>

namespace atl::api {
namespace {

constexpr const char* kId = "01hzy3v9k2m4n6p8q0r2s4t6v8";

bool is_loopback(std::string_view host) {
  auto parsed = parse_host(host);
  return parsed && is_loopback_name(parsed->name);
}

// covers: C41
TEST(Host, LoopbackNames) {
  for (const char* host :
       {"localhost", "LOCALHOST:8080", "localhost.", "localhost:", "a.localhost:1",
        "a.b.localhost.", "127.0.0.1", "127.0.0.1:80", "127.255.0.9:8080", "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"",
                           ":80",
                           "example.com",
                           "localhost.example.com",
                           "notlocalhost",
                           ".localhost",
                           "127.0.0.1.example.com",
                           "127.example.com",
                           "127.1",
                           "0.0.0.0",
                           "0",
                           "[::]",
                           "::1",
                           "[::1",
                           "[::1]x",
                           "[::2]:1",
                           "localhost:80x",
                           "localhost:123456",
                           "localhost:80:80",
                           "a@localhost",
                           "localhost/x",
                           "a b.localhost",
                           "evil.com\\.localhost",
                           "10.0.0.1",
                           "localhost..",
                           "[localhost]"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
  EXPECT_FALSE(is_loopback(std::string(400, 'a') + ".localhost"));
}

TEST(Host, NamesOfPreviews) {
  std::string name = preview_name(8000, kId, "");
  EXPECT_EQ(name, std::string("8000-") + kId + ".localhost");
  auto local = preview_host(name, "");
  ASSERT_TRUE(local);
  EXPECT_EQ(*local, (PreviewHost{kId, 8000, true}));
  auto there = preview_host(preview_name(1, kId, "p.example.com"), "p.example.com");
  ASSERT_TRUE(there);
  EXPECT_EQ(*there, (PreviewHost{kId, 1, false}));
  for (const char* other : {"localhost", "a.localhost", "p.example.com", "api.p.example.com",
                            "8000-x.example.com", "8000-xp.example.com", "127.0.0.1"}) {
    EXPECT_FALSE(preview_host(other, "p.example.com")) << other;
  }
  EXPECT_FALSE(preview_host(preview_name(8000, kId, "p.example.com"), ""));
}

// They look like previews, so the API must not answer there.
TEST(Host, NamesThatArePreviewsOfNothing) {
  for (const char* name :
       {"0-abc.localhost", "08000-abc.localhost", "65536-abc.localhost", "80-.localhost",
        "99999999999999999999-abc.localhost", "80-a-b.localhost", "80-a_b.localhost",
        "x.80-abc.localhost", "80-abc.80-abc.p.example.com"}) {
    auto host = preview_host(name, "p.example.com");
    ASSERT_TRUE(host) << name;
    EXPECT_EQ(host->port, 0) << name;
  }
  EXPECT_TRUE(is_reserved_port(49983));
  EXPECT_TRUE(is_reserved_port(49999));
  EXPECT_FALSE(is_reserved_port(8000));
}

// covers: C41
TEST(Host, PagesOfOtherOrigins) {
  http::Request request;
  request.headers.add("Host", "127.0.0.1:8080");
  EXPECT_FALSE(is_foreign_page(request));
  request.headers.add("Origin", "http://127.0.0.1:8080");
  EXPECT_FALSE(is_foreign_page(request));
  for (const char* origin : {"https://example.org", "null", "", "http://127.0.0.1:8081",
                             "http://127.0.0.1:8080.example.org"}) {
    request.headers.set("Origin", origin);
    EXPECT_TRUE(is_foreign_page(request)) << origin;
  }
  request.headers.set("Origin", "http://127.0.0.1:8080");
  request.headers.add("Origin", "https://example.org");
  EXPECT_TRUE(is_foreign_page(request));
}

TEST(Host, PagesOfOtherOriginsWithoutAnOriginField) {
  http::Request request;
  request.headers.add("Host", "127.0.0.1:8080");
  for (const char* site : {"cross-site", "same-site"}) {
    request.headers.set("Sec-Fetch-Site", site);
    request.headers.set("Sec-Fetch-Mode", "no-cors");
    EXPECT_TRUE(is_foreign_page(request)) << site;
    request.headers.set("Sec-Fetch-Mode", "navigate");
    EXPECT_FALSE(is_foreign_page(request)) << site;
  }
  request.headers.set("Sec-Fetch-Site", "same-origin");
  request.headers.set("Sec-Fetch-Mode", "cors");
  EXPECT_FALSE(is_foreign_page(request));
}

TEST(Host, PortsOfOneSessionMayTalk) {
  PreviewHost host{kId, 8000, true};
  http::Request request;
  request.headers.add("Host", preview_name(8000, kId, "") + ":8080");
  request.headers.add("Origin", "http://" + preview_name(3000, kId, "") + ":8080");
  EXPECT_FALSE(is_foreign_page(request, host, "p.example.com"));
  for (const std::string& name :
       {preview_name(3000, "01hzy3v9k2m4n6p8q0r2s4t6v9", ""), preview_name(0, kId, ""),
        preview_name(3000, kId, "p.example.com"), preview_name(3000, kId, "example.org"),
        std::string("localhost"), "x." + preview_name(3000, kId, "")}) {
    request.headers.set("Origin", "http://" + name + ":8080");
    EXPECT_TRUE(is_foreign_page(request, host, "p.example.com")) << name;
  }
  request.headers.set("Origin", "null");
  EXPECT_TRUE(is_foreign_page(request, host, ""));
}

}  // namespace
}  // namespace atl::api
