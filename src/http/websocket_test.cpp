#include "http/websocket.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "async/event.hpp"
#include "async/task_group.hpp"
#include "http/problem.hpp"
#include "http/server.hpp"
#include "http/test_server.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using namespace std::chrono_literals;
using test::Bench;
using test::RawClient;
using Kind = WebSocketMessage::Kind;
using Opened = Result<std::unique_ptr<WebSocket>>;

Task<void> echo(Exchange& exchange) {
  WebSocketOptions options{.max_message = 100'000};
  if (exchange.request().headers.has_token("sec-websocket-protocol", "tty")) {
    options.subprotocol = "tty";
  }
  Opened socket = co_await exchange.upgrade(std::move(options));
  if (!socket) {
    static_cast<void>(co_await exchange.respond(problem(socket.error())));
    co_return;
  }
  for (;;) {
    Result<WebSocketMessage> message = co_await (*socket)->read();
    if (!message || message->kind == Kind::kClose) co_return;
    if (message->data == "close") {
      static_cast<void>(co_await (*socket)->close(4001, "enough"));
      co_return;
    }
    if (message->kind == Kind::kText) {
      static_cast<void>(co_await (*socket)->write_text(message->data));
    } else {
      static_cast<void>(co_await (*socket)->write_binary(message->data));
    }
  }
}

Task<Opened> open_socket(Bench bench, WebSocketOptions options) {
  auto client = test::make_client(bench);
  co_return co_await client->websocket("/pty?x=1", std::move(options), async::deadline_in(30s));
}

TEST(WebSocket, CarriesMessagesBothWays) {
  test::with_server(echo, [](Bench bench) -> Task<void> {
    WebSocketOptions options{.subprotocol = "tty"};
    Opened socket = co_await open_socket(bench, options);
    EXPECT_TRUE(socket.has_value()) << socket.error().to_string();
    if (!socket) co_return;
    for (const std::string& text :
         {std::string("hello €"), std::string(), std::string(99'999, 'x')}) {
      static_cast<void>(co_await (*socket)->write_text(text));
      Result<WebSocketMessage> message = co_await (*socket)->read();
      EXPECT_TRUE(message.has_value());
      EXPECT_EQ(message->kind, Kind::kText);
      EXPECT_EQ(message->data, text);
    }
    static_cast<void>(co_await (*socket)->write_binary(std::string("\0\xff", 2)));
    Result<WebSocketMessage> message = co_await (*socket)->read();
    EXPECT_EQ(message->kind, Kind::kBinary);
    EXPECT_EQ(message->data, std::string("\0\xff", 2));
    Result<void> closed = co_await (*socket)->close(1000, "");
    EXPECT_TRUE(closed.has_value());
  });
}

TEST(WebSocket, TellsWhyThePeerCloses) {
  test::with_server(echo, [](Bench bench) -> Task<void> {
    Opened socket = co_await open_socket(bench, {});
    static_cast<void>(co_await (*socket)->write_text("close"));
    Result<WebSocketMessage> message = co_await (*socket)->read();
    EXPECT_TRUE(message.has_value());
    EXPECT_EQ(message->kind, Kind::kClose);
    EXPECT_EQ(message->close_code, 4001);
    EXPECT_EQ(message->data, "enough");
  });
}

TEST(WebSocket, RefusesLargeMessages) {
  test::with_server(echo, [](Bench bench) -> Task<void> {
    Opened socket = co_await open_socket(bench, {});
    static_cast<void>(co_await (*socket)->write_text(std::string(100'001, 'x')));
    Result<WebSocketMessage> message = co_await (*socket)->read();
    EXPECT_TRUE(!message || message->kind == Kind::kClose);
    if (message) EXPECT_EQ(message->close_code, 1009);
  });
}

TEST(WebSocket, NeedsAHandshake) {
  test::with_server(echo, [](Bench bench) -> Task<void> {
    for (const char* fields :
         {"", "Upgrade: websocket\r\nConnection: Upgrade\r\n",
          "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 12\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
          "Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"}) {
      RawClient client(bench);
      co_await client.send(std::string("GET / HTTP/1.1\r\nHost: a\r\n") + fields + "\r\n");
      std::string answer = co_await client.read_until("}");
      EXPECT_EQ(test::status_in(answer), 400) << fields;
    }
  });
}

TEST(WebSocket, TakesFramesThatComeWithTheHandshake) {
  test::with_server(echo, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    co_await client.send(
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
        std::string("\x81\x82\0\0\0\0?!", 8));
    std::string answer = co_await client.read_until("?!");
    EXPECT_EQ(test::status_in(answer), 101);
    EXPECT_NE(answer.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos);
    // Unmasked frames of a client are an error.
    co_await client.send(std::string("\x81\x02hi", 4));
    std::string rest = co_await client.read_to_end();
    EXPECT_TRUE(rest.empty() || rest.starts_with("\x88")) << rest;
  });
}

TEST(WebSocket, ReportsARefusal) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    Opened socket = co_await open_socket(bench, {});
    EXPECT_FALSE(socket.has_value());
    EXPECT_EQ(socket.error().code(), Code::kBackend);
    EXPECT_NE(socket.error().message().find("200"), std::string::npos);
  });
}

struct Seen {
  bool reading = false, ended = false, failed = false;
  async::Event changed;
};

Task<void> read_one(Exchange& exchange, Seen* seen) {
  Opened socket = co_await exchange.upgrade({});
  seen->reading = true;
  seen->changed.notify_all();
  Result<WebSocketMessage> message = co_await (*socket)->read();
  seen->failed = !message;
  seen->ended = true;
  seen->changed.notify_all();
}

Task<void> cut_connection(Bench bench, Seen* seen) {
  Opened socket = co_await open_socket(bench, {});
  while (!seen->reading) co_await seen->changed.wait();
  (*socket)->cut();
  socket->reset();
  while (!seen->ended) co_await seen->changed.wait();
  EXPECT_TRUE(seen->failed);
}

TEST(WebSocket, ACutConnectionIsAnError) {
  Seen seen;
  test::with_server([&](Exchange& exchange) { return read_one(exchange, &seen); },
                    [&](Bench bench) { return cut_connection(bench, &seen); });
}

Task<void> drain_while_reading(Bench bench, Seen* seen) {
  Opened socket = co_await open_socket(bench, {});
  while (!seen->reading) co_await seen->changed.wait();
  // The handler's read() must give way, or this would never end.
  co_await bench.server->drain(std::chrono::steady_clock::now());
  EXPECT_EQ(bench.server->connections(), 0U);
}

TEST(WebSocket, ReadingIsCancelledByADrain) {
  Seen seen;
  test::with_server([&](Exchange& exchange) { return read_one(exchange, &seen); },
                    [&](Bench bench) { return drain_while_reading(bench, &seen); });
}

Task<void> vanish_silently(Bench bench, Seen* seen) {
  RawClient client(bench);
  co_await client.send(
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  while (!seen->ended) co_await seen->changed.wait();
  EXPECT_TRUE(seen->failed);
}

Task<void> read_with_timeout(Exchange& exchange, Seen* seen) {
  Opened socket = co_await exchange.upgrade({.idle_timeout = 50ms});
  Result<WebSocketMessage> message = co_await (*socket)->read();
  seen->failed = !message;
  seen->ended = true;
  seen->changed.notify_all();
}

TEST(WebSocket, APeerThatAnswersNoPingIsGivenUp) {
  Seen seen;
  test::with_server([&](Exchange& exchange) { return read_with_timeout(exchange, &seen); },
                    [&](Bench bench) { return vanish_silently(bench, &seen); });
}

Task<void> write_many(WebSocket* socket, std::string text, int count) {
  for (int i = 0; i < count; ++i) static_cast<void>(co_await socket->write_text(text));
}

Task<void> several_writers(Bench bench) {
  Opened socket = co_await open_socket(bench, {});
  async::TaskGroup group(bench.executor);
  for (const char* text : {"one", "two", "three"}) {
    group.spawn(write_many(socket->get(), text, 100));
  }
  for (int i = 0; i < 300; ++i) {
    Result<WebSocketMessage> message = co_await (*socket)->read();
    EXPECT_TRUE(message.has_value());
    if (!message) co_return;
    EXPECT_TRUE(message->data == "one" || message->data == "two" || message->data == "three");
  }
  co_await group.wait_idle();
}

TEST(WebSocket, SeveralMayWrite) { test::with_server(echo, several_writers); }

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
