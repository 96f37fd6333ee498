#include "api/common/preview_cookie.hpp"

#include <gtest/gtest.h>

#include "http/uri.hpp"

namespace atl::api {
namespace {

TEST(PreviewCookie, IsOfOneHost) {
  EXPECT_EQ(preview_cookie("t", false), "atoll_preview=t; Path=/; HttpOnly; SameSite=Lax");
  EXPECT_EQ(preview_cookie("t", true),
            "__Host-atoll_preview=t; Path=/; HttpOnly; SameSite=Lax; Secure");
  http::Request request;
  EXPECT_FALSE(is_https(request));
  request.headers.add("X-Forwarded-Proto", "https");
  EXPECT_TRUE(is_https(request));
}

TEST(PreviewCookie, IsFoundAmongOthers) {
  http::Request request;
  request.headers = {{"Cookie", "a=1; atoll_preview=x;__Host-atoll_preview = y ; atoll_preview"},
                     {"Cookie", "atoll_preview=z; xatoll_preview=no"}};
  EXPECT_EQ(preview_tokens(request), (std::vector<std::string>{"x", "z"}));
  request.tls = true;
  EXPECT_EQ(preview_tokens(request), (std::vector<std::string>{"y"}));
  request.tls = false;
  std::string many;
  for (int i = 0; i < 100; ++i) many += "atoll_preview=x;";
  request.headers.set("Cookie", many);
  EXPECT_EQ(preview_tokens(request).size(), 64u);
}

TEST(PreviewCookie, NeverReachesTheSandbox) {
  EXPECT_EQ(without_preview_cookies("a=1; atoll_preview=x; b=2"), "a=1; b=2");
  EXPECT_EQ(without_preview_cookies("atoll_preview=x;__HOST-Atoll_Preview=y;;"), "");
  EXPECT_EQ(without_preview_cookies(" atoll_preview ; c"), "c");
}

TEST(PreviewCookie, TheTokenLeavesTheTarget) {
  for (auto [target, kept] : {std::pair{"/a?atoll_token=x", "/a"},
                              {"/a?b=1&atoll_token=x&c=%20", "/a?b=1&c=%20"},
                              {"/a?atoll%5Ftoken=x", "/a"},
                              {"/a?atoll_token", "/a"},
                              {"/a?atoll_tokens=x", "/a?atoll_tokens=x"},
                              {"/a%2Fb", "/a%2Fb"},
                              {"/?atoll_token=x&atoll_token=y&z", "/?z"}}) {
    http::Request request;
    ASSERT_TRUE(http::split_target(target, request));
    EXPECT_EQ(target_without_token(request), kept) << target;
  }
}

}  // namespace
}  // namespace atl::api
