#include "http/client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "http/endpoint.hpp"
#include "http/listener.hpp"
#include "http/test_server.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using namespace std::chrono_literals;
using test::Bench;

// A server that says what the test wants, byte by byte: one script a connection.
struct Script {
  std::vector<std::string> answers;  // one a request; the connection is closed behind the last
};

Task<void> play(async::Stream stream, Script script) {
  std::string got;
  std::array<char, 4096> buffer;
  for (const std::string& answer : script.answers) {
    while (!got.contains("\r\n\r\n")) {
      Result<std::size_t> size = co_await stream.read_some(buffer);
      if (!size || *size == 0) co_return;
      got.append(buffer.data(), *size);
    }
    got.erase(0, got.find("\r\n\r\n") + 4);
    static_cast<void>(co_await stream.write_all(answer));
  }
}

Task<void> serve_scripts(async::Executor executor, async::Stream listener,
                         std::vector<Script> scripts, int* connections) {
  for (Script& script : scripts) {
    Result<void> ready = co_await listener.readable();
    UniqueFd fd(::accept4(listener.fd().get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!ready || !fd) co_return;
    ++*connections;
    co_await play(async::Stream(executor, std::move(fd), async::FdKind::kSocket),
                  std::move(script));
  }
}

struct Stage {
  async::Executor executor;
  Client* client;
  int* connections;
};

Task<void> run_stage(async::Executor executor, std::vector<Script> scripts,
                     std::function<Task<void>(Stage)> body) {
  Result<Listener> listener = Listener::open("127.0.0.1:0");
  EXPECT_TRUE(listener.has_value());
  int connections = 0;
  async::TaskGroup group(executor);
  async::Stream stream(executor, std::move(listener->fd), async::FdKind::kSocket);
  group.spawn(serve_scripts(executor, std::move(stream), std::move(scripts), &connections));
  Client client(executor, {.endpoint = "http://" + listener->address});
  co_await body({executor, &client, &connections});
  co_await group.join();
}

void with_scripts(std::vector<Script> scripts, std::function<Task<void>(Stage)> body) {
  async::run_to_end<void>(
      [&](async::Executor executor) { return run_stage(std::move(executor), scripts, body); });
}

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

Task<Result<std::string>> body_of(Client* client, ClientRequest request) {
  request.deadline = async::deadline_in(30s);
  ATOLL_CO_TRY(ClientResponse response, co_await client->send(std::move(request)));
  co_return co_await response.read_body(1000);
}

TEST(Client, ReusesConnections) {
  with_scripts({{{kOk, kOk, kOk}}}, [](Stage stage) -> Task<void> {
    for (int i = 0; i < 3; ++i) {
      Result<std::string> body = co_await body_of(stage.client, {.method = Method::kPost});
      EXPECT_EQ(body.value_or("failed"), "ok");
    }
    EXPECT_EQ(*stage.connections, 1);
  });
}

TEST(Client, ForgetsConnectionsThatWereClosedMeanwhile) {
  with_scripts({{{kOk}}, {{kOk}}}, [](Stage stage) -> Task<void> {
    for (int i = 0; i < 2; ++i) {
      Result<std::string> body = co_await body_of(stage.client, {.method = Method::kPost});
      EXPECT_EQ(body.value_or("failed"), "ok");
      // The server's close is there before the next request looks.
      for (int k = 0; k < 10; ++k) co_await async::yield_now();
    }
    EXPECT_EQ(*stage.connections, 2);
  });
}

// The second request is read, and then nothing is said: the connection was on its way out.
TEST(Client, RepeatsOnlyWhatIsIdempotent) {
  with_scripts({{{kOk, ""}}, {{kOk}}}, [](Stage stage) -> Task<void> {
    EXPECT_TRUE((co_await body_of(stage.client, {})).has_value());
    Result<std::string> body = co_await body_of(stage.client, {.method = Method::kDelete});
    EXPECT_EQ(body.value_or("failed"), "ok");
    EXPECT_EQ(*stage.connections, 2);
  });
  with_scripts({{{kOk, ""}}, {{kOk}}}, [](Stage stage) -> Task<void> {
    EXPECT_TRUE((co_await body_of(stage.client, {})).has_value());
    Result<std::string> body = co_await body_of(stage.client, {.method = Method::kPost});
    EXPECT_EQ(body.error().code(), Code::kIo);
    EXPECT_EQ(*stage.connections, 1);
  });
}

TEST(Client, DoesNotRepeatOnAFreshConnection) {
  with_scripts({{{""}}, {{kOk}}}, [](Stage stage) -> Task<void> {
    Result<std::string> body = co_await body_of(stage.client, {});
    EXPECT_EQ(body.error().code(), Code::kIo);
    EXPECT_EQ(*stage.connections, 1);
  });
}

TEST(Client, ReadsEveryFraming) {
  with_scripts(
      {{{"HTTP/1.1 100 Continue\r\n\r\n" + kOk,
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
         "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nok"}}},
      [](Stage stage) -> Task<void> {
        for (const char* wanted : {"ok", "ok", "", "ok"}) {
          Result<std::string> body = co_await body_of(stage.client, {});
          EXPECT_EQ(body.value_or("failed"), wanted);
        }
        EXPECT_EQ(*stage.connections, 1);
        EXPECT_EQ(stage.client->idle_connections(), 0U);
      });
}

TEST(Client, RefusesBadResponses) {
  for (const std::string& answer : std::vector<std::string>{
           "SSH-2.0-OpenSSH\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
           "HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"}) {
    with_scripts({{{answer}}}, [](Stage stage) -> Task<void> {
      Result<std::string> body = co_await body_of(stage.client, {});
      EXPECT_FALSE(body.has_value());
    });
  }
}

TEST(Client, BoundsTheBody) {
  with_scripts({{{"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"}}},
               [](Stage stage) -> Task<void> {
                 Result<std::string> body = co_await body_of(stage.client, {});
                 EXPECT_EQ(body.error().code(), Code::kTooLarge);
               });
}

Task<void> never_answer(Exchange& exchange) { co_await exchange.client_gone(); }

TEST(Client, GivesUpAtTheDeadline) {
  test::with_server(never_answer, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    Result<ClientResponse> response = co_await client->send({.deadline = async::deadline_in(20ms)});
    EXPECT_EQ(response.error().code(), Code::kTransferTimeout);
    EXPECT_EQ(client->idle_connections(), 0U);
  });
}

Task<Result<std::size_t>> endless(std::span<char> into) {
  std::ranges::fill(into, 'x');
  co_return into.size();
}

Task<void> refuse_upload(Exchange& exchange) {
  Result<std::string> body = co_await exchange.read_body(1000);
  Response response;
  response.status = body ? 200 : 413;
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

// The answer comes while the body is still being sent, and there is no end of it.
TEST(Client, SeesARefusalDuringAnUpload) {
  test::with_server(refuse_upload, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    Result<ClientResponse> response =
        co_await client->send({.method = Method::kPut, .source = endless});
    EXPECT_TRUE(response.has_value()) << response.error().to_string();
    if (response) EXPECT_EQ(response->status(), 413);
    EXPECT_EQ(client->idle_connections(), 0U);
  });
}

Task<Result<std::size_t>> broken_source(std::span<char> /*into*/) {
  co_return fail(Code::kNotFound, "the file is gone");
}

TEST(Client, PassesOnTheFailureOfASource) {
  test::with_server(test::count_body, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    Result<ClientResponse> response =
        co_await client->send({.method = Method::kPut, .source = broken_source});
    EXPECT_EQ(response.error().code(), Code::kNotFound);
  });
}

Task<void> shout(Exchange& exchange) {
  Result<std::unique_ptr<RawStream>> raw = co_await exchange.switch_protocols({{"Upgrade", "tcp"}});
  EXPECT_TRUE(raw.has_value());
  std::array<char, 100> buffer;
  for (;;) {
    Result<std::size_t> got = co_await (*raw)->read_some(buffer);
    if (!got || *got == 0) break;
    std::transform(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*got),
                   buffer.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    static_cast<void>(co_await (*raw)->write({buffer.data(), *got}));
  }
  static_cast<void>(co_await (*raw)->write("!"));
}

TEST(Client, HijacksConnections) {
  test::with_server(shout, [](Bench bench) -> Task<void> {
    auto client = test::make_client(bench);
    ClientRequest request{.method = Method::kPost,
                          .headers = {{"Upgrade", "tcp"}, {"Connection", "Upgrade"}}};
    Result<ClientResponse> response = co_await client->send(std::move(request));
    EXPECT_EQ(response->status(), 101);
    Result<std::unique_ptr<RawStream>> raw = response->hijack();
    EXPECT_TRUE(raw.has_value());
    static_cast<void>(co_await (*raw)->write("hello"));
    (*raw)->shutdown_write();
    std::string all;
    std::array<char, 3> buffer;
    for (;;) {
      Result<std::size_t> got = co_await (*raw)->read_some(buffer);
      EXPECT_TRUE(got.has_value());
      if (!got || *got == 0) break;
      all.append(buffer.data(), *got);
    }
    EXPECT_EQ(all, "HELLO!");
  });
}

TEST(Client, NamesWhatItCannotReach) {
  with_scripts({}, [](Stage stage) -> Task<void> {
    Client nobody(stage.executor, {.endpoint = "http://127.0.0.1:1"});
    Result<ClientResponse> response = co_await nobody.send({});
    EXPECT_EQ(response.error().code(), Code::kIo);
    EXPECT_NE(response.error().message().find("127.0.0.1:1"), std::string::npos);
    Client nonsense(stage.executor, {.endpoint = "ftp://x"});
    response = co_await nonsense.send({});
    EXPECT_EQ(response.error().code(), Code::kInvalidArgument);
    response = co_await stage.client->send({.target = "/a b"});
    EXPECT_EQ(response.error().code(), Code::kInvalidArgument);
    response = co_await stage.client->send({.target = "/\r\nX: y"});
    EXPECT_EQ(response.error().code(), Code::kInvalidArgument);
  });
}

TEST(Client, UnderstandsEndpoints) {
  EXPECT_EQ(parse_endpoint("http://a").value().port, 80);
  EXPECT_EQ(parse_endpoint("https://a/").value().port, 443);
  EXPECT_EQ(parse_endpoint("http://[::1]:8080").value().host, "::1");
  EXPECT_EQ(parse_endpoint("http://[::1]").value().host_header, "[::1]");
  EXPECT_EQ(parse_endpoint("unix:///run/x.sock").value().path, "/run/x.sock");
  for (const char* text :
       {"", "a", "http://", "http://a:b", "http://a:70000", "http://a/b", "http://u@a",
        "http://[::1", "http://a:1:2", "unix://x", "http://a\r\n"}) {
    EXPECT_FALSE(parse_endpoint(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
