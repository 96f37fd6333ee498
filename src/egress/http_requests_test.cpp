#include "egress/http_requests.hpp"

#include <gtest/gtest.h>

namespace atl::egress {
namespace {

const std::string kGet = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

struct Outcome {
  std::optional<HttpRefusal> refusal;
  std::string forward;
};

// In pieces of every size: the outcome is the same.
Outcome take(const std::string& bytes) {
  Outcome whole;
  HttpRequests requests("a.test", 80);
  whole.refusal = requests.take(bytes, whole.forward);
  for (std::size_t size : {1u, 2u, 7u}) {
    Outcome pieces;
    HttpRequests same("a.test", 80);
    for (std::size_t at = 0; at < bytes.size() && !pieces.refusal; at += size) {
      pieces.refusal = same.take(std::string_view(bytes).substr(at, size), pieces.forward);
    }
    EXPECT_EQ(pieces.refusal, whole.refusal) << bytes;
    EXPECT_EQ(pieces.forward, whole.forward) << bytes;
  }
  return whole;
}

std::optional<HttpRefusal> refusal_of(const std::string& bytes) { return take(bytes).refusal; }

std::string with(const std::string& fields) {
  return "POST / HTTP/1.1\r\nHost: a.test\r\n" + fields + "\r\n";
}

TEST(HttpRequests, GoOnAsTheyCame) {
  std::string all = kGet + with("Content-Length: 5\r\n") + "hello" +
                    with("Transfer-Encoding: chunked\r\n") +
                    "5\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n" + kGet;
  Outcome outcome = take(all);
  EXPECT_FALSE(outcome.refusal);
  EXPECT_EQ(outcome.forward, all);
}

TEST(HttpRequests, BlanksAroundValuesAreNotPassedOn) {
  EXPECT_EQ(take("GET / HTTP/1.1\r\nHost:a.test \t\r\n\r\n").forward, kGet);
}

TEST(HttpRequests, AreForOneHost) {
  auto get = [](std::string target, std::string fields) {
    return refusal_of("GET " + target + " HTTP/1.1\r\n" + fields + "\r\n");
  };
  for (const char* host : {"a.test", "A.TEST", "a.test.", "a.test:80"}) {
    EXPECT_FALSE(get("/", std::string("Host: ") + host + "\r\n")) << host;
  }
  for (const char* host :
       {"b.test", "a.test:81", "", "a.test:", "a.test,b.test", "[::1]", "x@a.test"}) {
    EXPECT_EQ(get("/", std::string("Host: ") + host + "\r\n"), HttpRefusal::kOtherHost) << host;
  }
  EXPECT_EQ(get("/", ""), HttpRefusal::kOtherHost);
  EXPECT_EQ(get("/", "Host: a.test\r\nhost: a.test\r\n"), HttpRefusal::kOtherHost);
  EXPECT_FALSE(get("http://a.test/x", "Host: a.test\r\n"));
  EXPECT_FALSE(get("HTTP://A.test?x", "Host: a.test\r\n"));
  for (const char* target : {"http://b.test/", "https://a.test/", "http://a.test:81/",
                             "http://x@a.test/", "a.test:80", "x"}) {
    EXPECT_EQ(get(target, "Host: a.test\r\n"), HttpRefusal::kOtherHost) << target;
  }
  EXPECT_EQ(refusal_of(kGet + "GET / HTTP/1.1\r\nHost: b.test\r\n\r\n"), HttpRefusal::kOtherHost);
}

TEST(HttpRequests, MethodsOfProxiesAreRefused) {
  EXPECT_EQ(refusal_of("CONNECT b.test:443 HTTP/1.1\r\nHost: b.test\r\n\r\n"),
            HttpRefusal::kMethod);
  EXPECT_EQ(refusal_of("TRACE / HTTP/1.1\r\nHost: a.test\r\n\r\n"), HttpRefusal::kMethod);
}

TEST(HttpRequests, WhatCouldBeReadInTwoWaysIsRefused) {
  using namespace std::string_literals;
  for (const std::string& bad :
       {with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
        with("Content-Length: 1\r\nContent-Length: 1\r\n"),
        with("Content-Length: -1\r\n"),
        with("Content-Length: 0x1\r\n"),
        with("Content-Length: 1, 1\r\n"),
        with("Content-Length:\r\n"),
        with("Content-Length: 18446744073709551616\r\n"),
        with("Transfer-Encoding: gzip, chunked\r\n"),
        with("Transfer-Encoding: identity\r\n"),
        with("X : y\r\n"),
        with("X: y\r\n z\r\n"),
        with("X: a\rb\r\n"),
        with("X: a\0b\r\n"s),
        with("X\r\n"),
        with(": y\r\n"),
        "\r\n"s + kGet,
        "GET / HTTP/1.1 \r\nHost: a.test\r\n\r\n"s,
        "GET / x HTTP/1.1\r\nHost: a.test\r\n\r\n"s,
        "GET / HTTP/1.2\r\nHost: a.test\r\n\r\n"s,
        "G(T / HTTP/1.1\r\nHost: a.test\r\n\r\n"s,
        "GET * HTTP/1.1\r\nHost: a.test\r\n\r\n"s,
        "POST / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"s}) {
    EXPECT_EQ(refusal_of(bad), HttpRefusal::kMalformed) << bad;
  }
  for (const char* bad : {"5\r\nhellox\r\n", "\r\n", "5;x=y\r\nhello\r\n", "+5\r\nhello\r\n",
                          " 5\r\n", "0\r\nX\r\n\r\n", "5\n"}) {
    EXPECT_EQ(refusal_of(with("Transfer-Encoding: chunked\r\n") + bad), HttpRefusal::kMalformed)
        << bad;
  }
}

TEST(HttpRequests, LinesEndWithBoth) {
  HttpRequests requests("a.test", 80);
  std::string forward;
  EXPECT_EQ(requests.take("GET / HTTP/1.1\nHost: a.test\n\n", forward), HttpRefusal::kMalformed);
  EXPECT_EQ(forward, "");
}

TEST(HttpRequests, HeadsAreBounded) {
  HttpRequests requests("a.test", 80);
  std::string forward;
  std::optional<HttpRefusal> refusal = requests.take("GET / HTTP/1.1\r\n", forward);
  for (int i = 0; i < 100 && !refusal; ++i) {
    refusal = requests.take("X: " + std::string(1000, 'x') + "\r\n", forward);
  }
  EXPECT_EQ(refusal, HttpRefusal::kTooLarge);
}

TEST(HttpRequests, HopByHopHeadersStayBehind) {
  auto fields = [](const std::string& more) {
    std::string forward = take("GET / HTTP/1.1\r\nHost: a.test\r\n" + more + "\r\n").forward;
    return forward.substr(
        std::min(forward.size(), std::string("GET / HTTP/1.1\r\nHost: a.test\r\n").size()));
  };
  EXPECT_EQ(fields("Connection: close, X-A ,x-b\r\nX-A: 1\r\nx-B: 2\r\nX-C: 3\r\n"),
            "Connection: close\r\nX-C: 3\r\n\r\n");
  EXPECT_EQ(fields("Connection: X-A\r\nX-A: 1\r\nProxy-Connection: keep-alive\r\n"), "\r\n");
  EXPECT_EQ(fields("Connection: Keep-Alive\r\n"), "Connection: Keep-Alive\r\n\r\n");
  for (const char* bad : {"Host", "close, content-length", "Transfer-Encoding", "expect"}) {
    EXPECT_EQ(refusal_of(with(std::string("Connection: ") + bad + "\r\n")),
              HttpRefusal::kMalformed);
  }
}

// Sees what a gate sees.
class Seen final : public RequestWatcher {
 public:
  std::optional<HttpRefusal> on_request(HttpHead& head) override {
    targets += head.target + " ";
    head.fields.emplace_back("X-New", "1");
    if (head.target == "/no") return HttpRefusal::kDenied;
    return std::nullopt;
  }
  void on_body(std::string_view bytes) override { bodies += bytes; }

  std::string targets, bodies;
};

TEST(HttpRequests, AWatcherSeesHeadsAndBodiesWithoutFraming) {
  std::string all =
      "POST /1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc"
      "POST /2 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
      "GET /no HTTP/1.1\r\nHost: a.test\r\n\r\n";
  for (std::size_t size : {std::size_t{1}, std::size_t{5}, all.size()}) {
    Seen seen;
    HttpRequests requests("a.test", 443, &seen, "https");
    std::string forward;
    std::optional<HttpRefusal> refusal;
    for (std::size_t at = 0; at < all.size() && !refusal; at += size) {
      refusal = requests.take(std::string_view(all).substr(at, size), forward);
    }
    EXPECT_EQ(refusal, HttpRefusal::kDenied);
    EXPECT_EQ(seen.targets, "/1 /2 /no ");
    EXPECT_EQ(seen.bodies, "abcdef");
    EXPECT_EQ(requests.count(), 2u);
    EXPECT_EQ(forward.find("/no"), forward.npos);
    EXPECT_NE(forward.find("X-New: 1\r\n\r\nabc"), forward.npos);
  }
  HttpRequests requests("a.test", 443, nullptr, "https");
  std::string forward;
  EXPECT_FALSE(requests.take("GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", forward));
  EXPECT_EQ(requests.take("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", forward),
            HttpRefusal::kOtherHost);
}

TEST(HttpRequests, ManySmallChunksAreReadInOnePass) {
  std::string all = with("Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 50'000; ++i) all += "1\r\nx\r\n";
  all += "0\r\n\r\n";
  HttpRequests requests("a.test", 80);
  std::string forward;
  EXPECT_FALSE(requests.take(all, forward));
  EXPECT_EQ(forward, all);
  EXPECT_FALSE(requests.in_head());
}

TEST(HttpRequests, SaysWhenItWasHttp2) {
  HttpRequests requests("a.test", 443);
  std::string forward;
  EXPECT_EQ(requests.take("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", forward), HttpRefusal::kMalformed);
  EXPECT_TRUE(requests.said_http2());
}

TEST(HttpRequests, OnlyAFirstWebSocketUpgrades) {
  std::string ask = "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n\r\n";
  HttpRequests requests("a.test", 80);
  std::string forward;
  EXPECT_FALSE(requests.take(ask + "frames", forward));
  EXPECT_TRUE(requests.waits_for_upgrade());
  EXPECT_EQ(forward, ask);
  EXPECT_FALSE(requests.upgraded(true, forward));
  EXPECT_EQ(forward, ask + "frames");

  HttpRequests refused("a.test", 80);
  forward.clear();
  EXPECT_FALSE(refused.take(ask + "frames\n", forward));
  EXPECT_EQ(refused.upgraded(false, forward), HttpRefusal::kMalformed);

  EXPECT_EQ(
      take("GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n").forward,
      kGet);
  EXPECT_EQ(take(kGet + ask).forward, kGet + kGet);
}

}  // namespace
}  // namespace atl::egress
