#include "http/tls.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "http/server.hpp"
#include "http/test_certificate.hpp"
#include "http/test_server.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using namespace std::chrono_literals;
using test::Bench;
using test::RawClient;
using test::TestCertificate;

ServerOptions with_tls(const TestCertificate& files) {
  ServerOptions options;
  options.tls = TlsFiles{files.certificate, files.key};
  return options;
}

ClientOptions to_server(const Bench& bench, const std::string& host) {
  return {.endpoint = "https://" + host + ":" + std::to_string(bench.server->port())};
}

Task<void> answer_large(Exchange& exchange) {
  Response response;
  Result<std::string> body = co_await exchange.read_body(10'000'000);
  response.body = body ? *body + (exchange.request().tls ? "|tls" : "|plain") : "failed";
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

Task<void> use_tls(Bench bench, const TestCertificate* files) {
  for (const char* host : {"localhost", "127.0.0.1"}) {
    ClientOptions options = to_server(bench, host);
    options.ca_file = files->certificate;
    Client client(bench.executor, std::move(options));
    for (int i = 0; i < 2; ++i) {
      std::string body(3'000'000, 'x');
      Result<ClientResponse> response =
          co_await client.send({.method = Method::kPost, .body = body});
      EXPECT_TRUE(response.has_value()) << response.error().to_string();
      if (!response) co_return;
      Result<std::string> back = co_await response->read_body(10'000'000);
      EXPECT_TRUE(back.has_value());
      EXPECT_EQ(*back, body + "|tls");
      EXPECT_EQ(client.idle_connections(), 1U);
    }
  }
}

TEST(Tls, CarriesRequests) {
  TestCertificate files;
  test::with_server(
      answer_large, [&](Bench bench) { return use_tls(bench, &files); }, with_tls(files));
}

Task<void> verify_server(Bench bench, const TestCertificate* files) {
  TestCertificate other;
  ClientOptions options = to_server(bench, "127.0.0.1");
  options.ca_file = other.certificate;
  Client unknown(bench.executor, options);
  EXPECT_FALSE((co_await unknown.send({})).has_value());
  options.ca_file = files->certificate;
  options.server_name = "example.org";
  Client misnamed(bench.executor, options);
  EXPECT_FALSE((co_await misnamed.send({})).has_value());
  options.verify = false;
  Client careless(bench.executor, options);
  EXPECT_TRUE((co_await careless.send({})).has_value());
}

TEST(Tls, VerifiesTheServer) {
  TestCertificate files;
  test::with_server(
      test::say_ok, [&](Bench bench) { return verify_server(bench, &files); }, with_tls(files));
}

TEST(Tls, SurvivesNonsenseAndSilence) {
  TestCertificate files;
  ServerOptions options = with_tls(files);
  options.limits.header_time = 3s;  // silence is given up after it, and a client's handshake is
                                    // quicker
  test::with_server(
      test::say_ok,
      [](Bench bench) -> Task<void> {
        std::string answer =
            co_await test::exchange_raw(bench, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(answer.find("HTTP/1.1 200"), std::string::npos);
        // A handshake that never comes is given up.
        EXPECT_EQ(co_await test::exchange_raw(bench, ""), "");
        Client client(bench.executor,
                      {.endpoint = "https://127.0.0.1:" + std::to_string(bench.server->port()),
                       .verify = false});
        EXPECT_TRUE((co_await client.send({})).has_value());
      },
      options);
}

Task<void> echo_once(Exchange& exchange) {
  Result<std::unique_ptr<WebSocket>> socket = co_await exchange.upgrade({});
  EXPECT_TRUE(socket.has_value());
  Result<WebSocketMessage> message = co_await (*socket)->read();
  EXPECT_TRUE(message.has_value());
  static_cast<void>(co_await (*socket)->write_text(message->data));
  static_cast<void>(co_await (*socket)->close(1000, ""));
}

Task<void> use_websocket(Bench bench, const TestCertificate* files) {
  ClientOptions options = to_server(bench, "localhost");
  options.ca_file = files->certificate;
  Client client(bench.executor, std::move(options));
  Result<std::unique_ptr<WebSocket>> socket =
      co_await client.websocket("/", {.max_message = 10'000'000}, async::deadline_in(30s));
  EXPECT_TRUE(socket.has_value()) << socket.error().to_string();
  if (!socket) co_return;
  std::string text(1'000'000, 'x');
  static_cast<void>(co_await (*socket)->write_text(text));
  Result<WebSocketMessage> message = co_await (*socket)->read();
  EXPECT_TRUE(message.has_value());
  EXPECT_EQ(message->data, text);
}

TEST(Tls, CarriesWebSockets) {
  TestCertificate files;
  test::with_server(
      echo_once, [&](Bench bench) { return use_websocket(bench, &files); }, with_tls(files));
}

TEST(Tls, RefusesAKeyThatDoesNotFit) {
  TestCertificate files, other;
  EXPECT_TRUE(TlsContext::server(files.certificate, files.key).has_value());
  EXPECT_FALSE(TlsContext::server(files.certificate, other.key).has_value());
  EXPECT_FALSE(TlsContext::server("/nowhere", files.key).has_value());
}

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
