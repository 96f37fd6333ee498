#include "config/checks.hpp"

#include <gtest/gtest.h>

namespace atl::config {
namespace {

void takes(Check check, std::initializer_list<std::string_view> texts) {
  for (std::string_view text : texts) EXPECT_EQ(check(text), "") << text;
}

void refuses(Check check, std::initializer_list<std::string_view> texts) {
  for (std::string_view text : texts) EXPECT_NE(check(text), "") << text;
}

TEST(ConfigChecks, Listen) {
  takes(check_listen, {"127.0.0.1:8080", "[::1]:0", "0.0.0.0:65535", "localhost:80", ""});
  refuses(check_listen, {"127.0.0.1", ":80", "a:65536", "a:-1", "a:8x", "::1:80", "[::1]", "[x]:1",
                         "a b:1", "a/:1", "a:", "[]:1"});
  EXPECT_EQ(split_listen("[::1]:8")->host, "::1");
  EXPECT_EQ(split_listen("h:8")->port, 8);
}

TEST(ConfigChecks, Loopback) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "127.example.com", "localhost.example"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(ConfigChecks, Urls) {
  takes(check_http_url, {"", "http://x", "https://user:pw@x:1/y?z"});
  refuses(check_http_url, {"x", "ftp://x", "http://", "http:///x", "http://a b", "http://a\n"});
  takes(check_store_url, {"", "sqlite:", "postgresql://u@h/d", "postgres://h/d"});
  refuses(check_store_url, {"sqlite:/a/b.db", "sqlite", "mysql://x", "x"});
}

TEST(ConfigChecks, PathsAndNames) {
  takes(check_inner_path, {"a", "a/b.md", ".env", "..a/b"});
  refuses(check_inner_path, {"", "/a", "..", "a/../b", "./a", "a//b", "a/", "a\n"});
  takes(check_absolute_path, {"", "/", "/a b"});
  refuses(check_absolute_path, {"a", "~/a", "/a\x01"});
  takes(check_name, {"native", "python-default", "a.b_c", "3x"});
  refuses(check_name, {"", "-a", "a b", "a/b", ".", "ä"});
  takes(check_domain, {"example.com", "*.example.com", "localhost", "10.0.0.1", "a_b.example"});
  takes(check_preview_domain, {"", "preview.example.com", "localhost"});
  refuses(check_preview_domain, {"*.example.com", "Example.com", "10.0.0.1", "a.com.", "a b"});
  takes(check_origin, {"https://app.example.com", "http://localhost:5173", "http://127.0.0.1:1",
                       "http://[::1]:8080", "http://[::1]"});
  refuses(check_origin, {"", "*", "null", "app.example.com", "https://App.example.com",
                         "https://app.example.com/", "https://", "https://a:0", "file:///x",
                         "https://*.example.com", "https://u@a.example", "https://a b"});
  refuses(check_domain, {"", "*", "*.", "a..b", "-a.com", "http://a", "a.com.", "a b", "a.*.b"});
  takes(check_resolver, {"", "10.0.0.2", "10.0.0.2:53", "::1", "[::1]:53"});
  refuses(check_resolver, {"dns.example.com", "10.0.0.2:", "10.0.0.2:0", "[::1]", "10.0.0", ":53"});
  takes(check_upstream, {"", "socks5://p:1080", "http://10.0.0.1:3128", "socks5://u:p@p:1080"});
  refuses(check_upstream, {"p:1080", "https://p:1", "socks5://p", "http://:1", "http://p:0"});
  takes(check_quantity, {"500m", "0.1", "1Gi", "2", "1.5Gi"});
  refuses(check_quantity, {"", "Gi", "1.", ".5", "1g i", "-1", "1GB"});
}

TEST(ConfigChecks, PasswordsAreHidden) {
  EXPECT_EQ(without_password("postgresql://u:secret@h:5432/d"), "postgresql://u:***@h:5432/d");
  EXPECT_EQ(without_password("postgresql://u:se@cret@h/d"), "postgresql://u:***@h/d");
  EXPECT_EQ(without_password("postgresql://u@h:5432/d"), "postgresql://u@h:5432/d");
  EXPECT_EQ(without_password("postgresql://h/d?user=u&password=secret"), "postgresql://h/d?***");
  EXPECT_EQ(without_password("postgresql://u:a@h/d?password=b"), "postgresql://u:***@h/d?***");
  EXPECT_EQ(without_password("sqlite:/a:b@c"), "sqlite:/a:b@c");
  EXPECT_EQ(without_password(""), "");
}

}  // namespace
}  // namespace atl::config
