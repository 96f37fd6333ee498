#include "egress/proxy.hpp"

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

using State = ProxyHandshake::State;
using namespace std::string_literals;

ProxyHandshake talk_to(const char* url, const char* host = "good.test", std::uint16_t port = 443) {
  return {Proxy::parse(url).value(), host, port};
}

TEST(Proxy, Urls) {
  Proxy proxy = Proxy::parse("socks5://u%40x:p%3A%25@[2001:db8::1]:1080").value();
  EXPECT_EQ(proxy.kind, Proxy::Kind::kSocks5);
  EXPECT_EQ(proxy.host, "2001:db8::1");
  EXPECT_EQ(proxy.port, 1080);
  EXPECT_EQ(proxy.user, "u@x");
  EXPECT_EQ(proxy.password, "p:%");
  EXPECT_EQ(Proxy::parse("http://proxy.test:3128")->kind, Proxy::Kind::kHttp);
  for (const char* bad : {"", "proxy:1", "https://p:1", "socks5://p", "socks5://:1", "socks5://p:0",
                          "socks5://p:65536", "socks5://p:1x", "socks5://@p:1", "socks5://%4:x@p:1",
                          "socks5://%zz:x@p:1"}) {
    EXPECT_FALSE(Proxy::parse(bad)) << bad;
  }
}

TEST(ProxyHandshake, SocksByName) {
  ProxyHandshake socks = talk_to("socks5://p:1");
  EXPECT_EQ(socks.say(), "\5\1\0"s);
  EXPECT_EQ(socks.say(), "");
  EXPECT_EQ(socks.hear("\5\0"s), 2u);
  EXPECT_EQ(socks.say(), "\5\1\0\3\11good.test\1\273"s);
  // The host speaks right behind the answer: that is not the proxy's.
  EXPECT_EQ(socks.hear("\5\0\0\1\1\2\3\4\0\1SSH-2.0"s), 10u);
  EXPECT_EQ(socks.state(), State::kOpen);
}

TEST(ProxyHandshake, SocksByteByByteWithAPasswordAndANameInTheAnswer) {
  ProxyHandshake socks = talk_to("socks5://u:pw@p:1", "2001:db8::1", 22);
  EXPECT_EQ(socks.say(), "\5\2\0\2"s);
  for (char one : "\5\2"s) EXPECT_EQ(socks.hear({&one, 1}), 1u);
  EXPECT_EQ(socks.say(), "\1\1u\2pw"s);
  for (char one : "\1\0"s) EXPECT_EQ(socks.hear({&one, 1}), 1u);
  EXPECT_EQ(socks.say(), "\5\1\0\4\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\0\26"s);
  for (char one : "\5\0\0\3\3abc\0\1"s) {
    EXPECT_EQ(socks.state(), State::kTalking);
    EXPECT_EQ(socks.hear({&one, 1}), 1u);
  }
  EXPECT_EQ(socks.state(), State::kOpen);
}

TEST(ProxyHandshake, SocksRefusals) {
  for (const std::string& answer :
       {"\5\xff"s, "\5\2"s, "HT"s, "\5\0\5\2\0\1\0"s, "\5\0\4\0\0\1\0"s}) {
    ProxyHandshake socks = talk_to("socks5://p:1");
    socks.hear(answer);
    EXPECT_EQ(socks.state(), State::kRefused) << answer;
    EXPECT_NE(socks.failure(), "");
  }
  ProxyHandshake wrong = talk_to("socks5://u:p@p:1");
  wrong.hear("\5\2\1\1"s);
  EXPECT_EQ(wrong.state(), State::kRefused);
}

TEST(ProxyHandshake, Http) {
  ProxyHandshake http = talk_to("http://u:pw@p:1");
  EXPECT_EQ(http.say(),
            "CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n"
            "Proxy-Authorization: Basic dTpwdw==\r\n\r\n");
  EXPECT_EQ(http.hear("HTTP/1.1 200 OK\r\n"), 17u);
  EXPECT_EQ(http.state(), State::kTalking);
  EXPECT_EQ(http.hear("A: b\r\n\r\nSSH-2.0"), 8u);
  EXPECT_EQ(http.state(), State::kOpen);
  EXPECT_EQ(talk_to("http://p:1", "2001:db8::1").say(),
            "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\r\n");
}

TEST(ProxyHandshake, HttpRefusals) {
  ProxyHandshake denied = talk_to("http://p:1");
  denied.hear("HTTP/1.1 403 secret-text\r\n\r\n");
  EXPECT_EQ(denied.state(), State::kRefused);
  EXPECT_EQ(denied.failure(), "the proxy: status 403");
  ProxyHandshake other = talk_to("http://p:1");
  other.hear("SSH-2.0-x 200\r\n\r\n");
  EXPECT_EQ(other.state(), State::kRefused);
  ProxyHandshake endless = talk_to("http://p:1");
  std::string line(1000, 'x');
  for (int i = 0; i < 20; ++i) endless.hear(line);
  EXPECT_EQ(endless.state(), State::kRefused);
}

}  // namespace
}  // namespace atl::egress
