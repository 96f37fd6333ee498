// Large and endless answers: back-pressure, clients that vanish, server-sent events.
#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "async/event.hpp"
#include "async/task_group.hpp"
#include "http/server.hpp"
#include "http/sse.hpp"
#include "http/test_server.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using namespace std::chrono_literals;
using test::Bench;
using test::RawClient;

constexpr std::uint64_t kGiB = 1024ULL * 1024 * 1024;
// What the kernel may hold between the two ends, generously.
constexpr std::uint64_t kInFlight = 64ULL * 1024 * 1024;

struct Flow {
  std::uint64_t produced = 0, consumed = 0, most = 0;
  bool ended = false, failed = false, gone = false;
  async::Event changed;
  void note() { most = std::max(most, produced - consumed); }
};

Task<void> send_gigabyte(Exchange& exchange, Flow* flow) {
  std::string piece(256 * 1024, 'x');
  bool counted = exchange.request().path == "/counted";
  static_cast<void>(co_await exchange.begin(200, {}, counted ? std::optional(kGiB) : std::nullopt));
  for (flow->produced = 0; flow->produced < kGiB;) {
    Result<void> written = co_await exchange.write(piece);
    if (!written) co_return;
    flow->produced += piece.size();
    flow->note();
  }
  static_cast<void>(co_await exchange.finish());
}

Task<void> receive_gigabyte(Bench bench, Flow* flow, std::string path) {
  auto client = test::make_client(bench);
  Result<ClientResponse> response = co_await client->send({.target = path});
  EXPECT_TRUE(response.has_value());
  std::string buffer(256 * 1024, '\0');
  for (;;) {
    Result<std::size_t> got = co_await response->read_some(buffer);
    EXPECT_TRUE(got.has_value());
    if (!got || *got == 0) break;
    flow->consumed += *got;
  }
  EXPECT_EQ(flow->consumed, kGiB);
  EXPECT_LT(flow->most, kInFlight);
  EXPECT_EQ(client->idle_connections(), 1U);
}

TEST(Streaming, GigabyteDownInFlatMemory) {
  for (const char* path : {"/counted", "/chunked"}) {
    Flow flow;
    test::with_server([&](Exchange& exchange) { return send_gigabyte(exchange, &flow); },
                      [&](Bench bench) { return receive_gigabyte(bench, &flow, path); });
  }
}

Task<void> take_gigabyte(Exchange& exchange, Flow* flow) {
  std::string buffer(256 * 1024, '\0');
  for (;;) {
    Result<std::size_t> got = co_await exchange.read_some(buffer);
    EXPECT_TRUE(got.has_value());
    if (!got || *got == 0) break;
    flow->consumed += *got;
  }
  co_await test::say_ok(exchange);
}

Task<Result<std::size_t>> make_bytes(std::span<char> into, Flow* flow) {
  flow->note();
  std::size_t size = std::min<std::uint64_t>(into.size(), kGiB - flow->produced);
  std::fill_n(into.begin(), size, 'x');
  flow->produced += size;
  co_return size;
}

Task<void> upload_gigabyte(Bench bench, Flow* flow, bool counted) {
  auto client = test::make_client(bench);
  ClientRequest request{.method = Method::kPut};
  request.source = [flow](std::span<char> into) { return make_bytes(into, flow); };
  if (counted) request.source_length = kGiB;
  Result<ClientResponse> response = co_await client->send(std::move(request));
  EXPECT_TRUE(response.has_value());
  EXPECT_EQ(flow->consumed, kGiB);
  EXPECT_LT(flow->most, kInFlight);
}

TEST(Streaming, GigabyteUpInFlatMemory) {
  for (bool counted : {true, false}) {
    Flow flow;
    test::with_server([&](Exchange& exchange) { return take_gigabyte(exchange, &flow); },
                      [&](Bench bench) { return upload_gigabyte(bench, &flow, counted); });
  }
}

Task<void> send_for_ever(Exchange& exchange, Flow* flow) {
  std::string piece(64 * 1024, 'x');
  static_cast<void>(co_await exchange.begin(200, {}));
  for (;;) {
    Result<void> written = co_await exchange.write(piece);
    if (!written) break;
    flow->produced += piece.size();
    flow->changed.notify_all();
  }
  flow->failed = true;
  flow->changed.notify_all();
}

Task<void> vanish(Bench bench, Flow* flow, bool by_reset) {
  RawClient client(bench);
  co_await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  static_cast<void>(co_await client.read_until("xxx"));
  if (by_reset) {
    client.reset();
  } else {
    client.close();
  }
  while (!flow->failed) co_await flow->changed.wait();
}

TEST(Streaming, WritingToAVanishedClientFails) {
  for (bool by_reset : {false, true}) {
    Flow flow;
    test::with_server([&](Exchange& exchange) { return send_for_ever(exchange, &flow); },
                      [&](Bench bench) { return vanish(bench, &flow, by_reset); });
  }
}

Task<void> never_read(Bench bench, Flow* flow) {
  RawClient client(bench);
  co_await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  while (!flow->failed) co_await flow->changed.wait();
  EXPECT_LT(flow->produced, kInFlight);
}

TEST(Streaming, AClientThatNeverReadsIsGivenUp) {
  Flow flow;
  ServerOptions options;
  options.limits.body_time = 50ms;
  test::with_server([&](Exchange& exchange) { return send_for_ever(exchange, &flow); },
                    [&](Bench bench) { return never_read(bench, &flow); }, options);
}

Task<void> wait_for_departure(Exchange& exchange, Flow* flow) {
  flow->produced = 1;
  flow->changed.notify_all();
  co_await exchange.client_gone();
  flow->gone = true;
  flow->changed.notify_all();
  co_await test::say_ok(exchange);
}

Task<void> depart(Bench bench, Flow* flow, std::string bytes, bool half) {
  RawClient client(bench);
  co_await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + bytes);
  while (flow->produced == 0) co_await flow->changed.wait();
  for (int i = 0; i < 10; ++i) co_await async::yield_now();
  EXPECT_FALSE(flow->gone);
  if (half) {
    client.shutdown_write();
  } else {
    client.close();
  }
  while (!flow->gone) co_await flow->changed.wait();
  if (!half) co_return;
  std::string answer = co_await client.read_to_end();
  EXPECT_EQ(test::status_in(answer), 200);
}

// Unread bytes must not hide the departure.
TEST(Streaming, TheDepartureOfAClientIsSeen) {
  for (const char* unread : {"", "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    for (bool half : {false, true}) {
      Flow flow;
      test::with_server([&](Exchange& exchange) { return wait_for_departure(exchange, &flow); },
                        [&](Bench bench) { return depart(bench, &flow, unread, half); });
    }
  }
}

Task<void> stop_short(Exchange& exchange) {
  bool counted = exchange.request().path == "/counted";
  static_cast<void>(
      co_await exchange.begin(200, {}, counted ? std::optional<std::uint64_t>(10) : std::nullopt));
  static_cast<void>(co_await exchange.write("abc"));
}

TEST(Streaming, AnUnfinishedAnswerLooksCut) {
  test::with_server(stop_short, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    for (const char* path : {"/counted", "/chunked"}) {
      Result<ClientResponse> response = co_await client->send({.target = path});
      EXPECT_TRUE(response.has_value());
      Result<std::string> body = co_await response->read_body(100);
      EXPECT_FALSE(body.has_value());
      EXPECT_EQ(client->idle_connections(), 0U);
    }
  });
}

Task<void> announce(Exchange& exchange) {
  static_cast<void>(co_await exchange.begin(200, {}, 10));
  if (exchange.request().method == Method::kGet) {
    static_cast<void>(co_await exchange.write("0123456789"));
  }
}

// A length that was reached needs no finish(), and HEAD has nothing to write.
TEST(Streaming, ACompleteAnswerKeepsTheConnection) {
  test::with_server(announce, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    for (Method method : {Method::kGet, Method::kHead, Method::kGet}) {
      Result<ClientResponse> response = co_await client->send({.method = method});
      EXPECT_TRUE(response.has_value());
      EXPECT_EQ(response->headers().get("content-length"), "10");
      Result<std::string> body = co_await response->read_body(100);
      EXPECT_EQ(body.value_or("failed"), method == Method::kGet ? "0123456789" : "");
      EXPECT_EQ(client->idle_connections(), 1U);
      for (int i = 0; i < 10; ++i) co_await async::yield_now();
      EXPECT_EQ(bench.server->connections(), 1U);
    }
  });
}

TEST(Sse, FormatsAndReadsBack) {
  std::string text;
  append_sse(text, "stdout", "7", "one\ntwo\r\n\rthree");
  EXPECT_EQ(text, "event: stdout\nid: 7\ndata: one\ndata: two\ndata: \ndata: three\n\n");
  append_sse(text, "a\nevent: b", "", "");
  text += ": comment\n\n";
  text += "data:x\rdata: y\r\r";
  text += "\n";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    SseReader reader;
    std::string seen;
    for (std::size_t at = 0; at < text.size(); at += step) {
      EXPECT_TRUE(reader.feed(std::string_view(text).substr(at, step)).has_value());
      while (auto event = reader.next()) {
        seen += event->event + "|" + event->id + "|" + event->data + ";";
      }
    }
    EXPECT_EQ(seen, "stdout|7|one\ntwo\n\nthree;a event: b||;||x\ny;") << step;
    EXPECT_EQ(reader.last_event_id(), "7");
  }
}

TEST(Sse, BoundsAnEvent) {
  SseReader reader(100);
  EXPECT_TRUE(reader.feed("data: " + std::string(80, 'x')).has_value());
  EXPECT_TRUE(reader.feed(std::string(80, 'x')).has_value());
  Result<void> fed = reader.feed("x");
  EXPECT_EQ(fed.error().code(), Code::kTooLarge);
}

Task<void> send_events(Exchange& exchange) {
  SseWriter writer(exchange);
  for (int i = 0; i < 100; ++i) writer.add("n", std::to_string(i), "value");
  static_cast<void>(co_await writer.flush());
  static_cast<void>(co_await writer.comment("still here"));
  static_cast<void>(co_await writer.send({.event = "last", .data = "a\nb"}));
  static_cast<void>(co_await writer.finish());
}

TEST(Sse, TravelsFromServerToClient) {
  test::with_server(send_events, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    Result<ClientResponse> response = co_await client->send({});
    EXPECT_TRUE(response.has_value());
    EXPECT_EQ(response->headers().get("content-type"), "text/event-stream");
    SseReader reader;
    std::array<char, 100> buffer;
    std::size_t events = 0;
    std::string last;
    for (;;) {
      Result<std::size_t> got = co_await response->read_some(buffer);
      EXPECT_TRUE(got.has_value());
      if (!got || *got == 0) break;
      EXPECT_TRUE(reader.feed({buffer.data(), *got}).has_value());
      while (auto event = reader.next()) {
        ++events;
        last = event->data;
      }
    }
    EXPECT_EQ(events, 101U);
    EXPECT_EQ(last, "a\nb");
  });
}

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
