#include "http/server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "async/event.hpp"
#include "async/task_group.hpp"
#include "http/router.hpp"
#include "http/test_server.hpp"
#include "observe/log.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using namespace std::chrono_literals;
using test::Bench;
using test::RawClient;

Task<void> echo_path(Exchange& exchange) {
  Response response;
  response.body = exchange.request().path;
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

Task<void> read_whole(Exchange& exchange) {
  Result<std::string> body = co_await exchange.read_body(1000);
  Response response;
  response.body = body ? *body : std::string(code_name(body.error().code()));
  response.status = body ? 200 : 413;
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

Task<void> stream_three(Exchange& exchange) {
  static_cast<void>(co_await exchange.begin(200, {{"X-Kind", "stream"}}));
  for (std::string_view piece : {"one ", "two ", "", "three"}) {
    static_cast<void>(co_await exchange.write(piece));
  }
  static_cast<void>(co_await exchange.finish());
}

TEST(Server, AnswersWithLengthAndDate) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    std::string answer = co_await test::exchange_raw(
        bench, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(test::status_in(answer), 200);
    EXPECT_NE(answer.find("\r\nContent-Length: 2\r\n"), std::string::npos);
    EXPECT_NE(answer.find("\r\nDate: "), std::string::npos);
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_EQ(test::body_in(answer), "ok");
  });
}

TEST(Server, ServesPipelinedRequestsInOrder) {
  test::with_server(echo_path, [](Bench bench) -> Task<void> {
    std::string all;
    for (int i = 0; i < 200; ++i) {
      all += "GET /" + std::to_string(i) + (i == 199 ? "/last" : "") + " HTTP/1.1\r\nHost: a\r\n" +
             (i == 199 ? "Connection: close\r\n" : "") + "\r\n";
    }
    std::string answers = co_await test::exchange_raw(bench, all);
    std::size_t at = 0;
    for (int i = 0; i < 200; ++i) {
      at = answers.find("\r\n\r\n/" + std::to_string(i), at);
      EXPECT_NE(at, std::string::npos) << i;
      if (at == std::string::npos) co_return;
    }
  });
}

TEST(Server, AnswersHeadWithoutABody) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    std::string answer = co_await test::exchange_raw(
        bench, "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_NE(answer.find("Content-Length: 2\r\n"), std::string::npos);
    EXPECT_EQ(test::body_in(answer), "");
  });
}

TEST(Server, StreamsInChunksOrUntilTheEnd) {
  test::with_server(stream_three, [](Bench bench) -> Task<void> {
    std::string answer = co_await test::exchange_raw(
        bench, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(test::body_in(answer), "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n");
    // HTTP/1.0 knows no chunks.
    answer = co_await test::exchange_raw(bench, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(test::body_in(answer), "one two three");
  });
}

TEST(Server, KeepsOldConnectionsAliveWhenAsked) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    co_await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    std::string first = co_await client.read_until("ok");
    EXPECT_NE(first.find("Connection: keep-alive\r\n"), std::string::npos);
    co_await client.send("GET / HTTP/1.0\r\n\r\n");
    std::string second = co_await client.read_to_end();
    EXPECT_EQ(test::status_in(second), 200);
  });
}

TEST(Server, AsksForABodyThatWaits) {
  test::with_server(read_whole, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    co_await client.send(
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    std::string go = co_await client.read_until("\r\n\r\n");
    EXPECT_EQ(go, "HTTP/1.1 100 Continue\r\n\r\n");
    co_await client.send("data");
    std::string answer = co_await client.read_until("data");
    EXPECT_EQ(test::status_in(answer), 200);
    // One that is too large is refused before it is sent, and the connection ends.
    co_await client.send(
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000\r\nExpect: 100-continue\r\n\r\n");
    answer = co_await client.read_to_end();
    EXPECT_EQ(test::status_in(answer), 413);
    EXPECT_EQ(test::body_in(answer), "too_large");
  });
}

TEST(Server, ReadsChunkedBodies) {
  test::with_server(read_whole, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    co_await client.send(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
        "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    std::string answers = co_await client.read_to_end();
    EXPECT_NE(answers.find("\r\n\r\nabc0123456789HTTP/1.1 200"), std::string::npos) << answers;
  });
}

TEST(Server, TurnsExceptionsAndSilenceInto500) {
  int reported = 0;
  ServerOptions options;
  options.on_error = [&](const Request&, std::exception_ptr) { ++reported; };
  log::set_sink([](std::string_view) {});
  Handler handler = [](Exchange& exchange) -> Task<void> {
    if (exchange.request().path == "/throw") throw std::runtime_error("bug");
    co_return;
  };
  test::with_server(
      handler,
      [](Bench bench) -> Task<void> {
        RawClient client(bench);
        for (const char* path : {"/throw", "/silent"}) {
          co_await client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
          std::string answer = co_await client.read_until("}");
          EXPECT_EQ(test::status_in(answer), 500);
          EXPECT_NE(answer.find("\"code\":\"internal\""), std::string::npos);
          EXPECT_EQ(answer.find("bug"), std::string::npos);
        }
      },
      options);
  log::set_sink(nullptr);
  EXPECT_EQ(reported, 1);
}

TEST(Server, DropsSmallUnreadBodiesAndClosesOnLargeOnes) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    std::string small(1000, 'x');
    co_await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + small);
    std::string answer = co_await client.read_until("ok");
    EXPECT_EQ(test::status_in(answer), 200);
    std::string large(1'000'000, 'x');
    co_await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + large);
    // The answer arrives although most of the body was never wanted.
    answer = co_await client.read_to_end();
    EXPECT_EQ(test::status_in(answer), 200);
  });
}

TEST(Server, AddsTheHeadersOfMiddleware) {
  Handler handler = [](Exchange& exchange) {
    exchange.answer_headers().set("X-Request-Id", "r1");
    exchange.answer_headers().set("Content-Type", "x/y");
    return test::say_ok(exchange);
  };
  test::with_server(handler, [](Bench bench) -> Task<void> {
    std::string answer = co_await test::exchange_raw(
        bench, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_NE(answer.find("X-Request-Id: r1\r\n"), std::string::npos);
    EXPECT_NE(answer.find("Content-Type: text/plain\r\n"), std::string::npos);
    EXPECT_EQ(answer.find("x/y"), std::string::npos);
  });
}

TEST(Server, RoutesWithTheRouter) {
  Router router;
  router.add(Method::kGet, "/s/{id}",
             [](Exchange& exchange) -> Task<void> {
               Response response;
               response.body = exchange.request().capture("id") + "|" + exchange.request().route;
               static_cast<void>(co_await exchange.respond(std::move(response)));
             },
             {.name = "getS"});
  test::with_server(router.handler(), [](Bench bench) -> Task<void> {
    std::string close = " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    std::string answer = co_await test::exchange_raw(bench, "GET /s/a%20b" + close);
    EXPECT_EQ(test::body_in(answer), "a b|getS");
    answer = co_await test::exchange_raw(bench, "DELETE /s/1" + close);
    EXPECT_EQ(test::status_in(answer), 405);
    EXPECT_NE(answer.find("Allow: GET, HEAD\r\n"), std::string::npos);
    answer = co_await test::exchange_raw(bench, "GET /t" + close);
    EXPECT_EQ(test::status_in(answer), 404);
    answer = co_await test::exchange_raw(bench, "GET /s/%00" + close);
    EXPECT_EQ(test::status_in(answer), 400);
  });
}

TEST(Server, NamesThePortThatIsInUse) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    std::string address = "127.0.0.1:" + std::to_string(bench.server->port());
    Server second(bench.executor, test::say_ok, {.listen = {address}});
    Result<void> started = co_await second.start();
    EXPECT_FALSE(started.has_value());
    if (started) co_return;
    EXPECT_EQ(started.error().code(), Code::kAlreadyExists);
    EXPECT_NE(started.error().message().find(address), std::string::npos);
  });
}

TEST(Server, ListensOnUnixSockets) {
  std::string folder = ::testing::TempDir() + "/http_unix_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/s";
  for (int round = 0; round < 2; ++round) {
    test::with_server(test::say_ok,
                      [path](Bench bench) {
                        return [](Bench with, std::string where) -> Task<void> {
                          struct stat info{};
                          EXPECT_EQ(::stat(where.c_str(), &info), 0);
                          EXPECT_EQ(info.st_mode & 0777U, 0600U);
                          Client client(with.executor, {.endpoint = "unix://" + where});
                          Result<ClientResponse> response = co_await client.send({});
                          EXPECT_TRUE(response.has_value());
                          Server second(with.executor, test::say_ok, {.listen = {"unix:" + where}});
                          Result<void> started = co_await second.start();
                          EXPECT_EQ(started.has_value(), false);
                          EXPECT_EQ(started.error().code(), Code::kAlreadyExists);
                        }(bench, path);
                      },
                      {.listen = {"unix:" + path}});
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
    // What a killed server leaves behind is no obstacle.
    UniqueFd left(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(left.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

struct Gate {
  async::Event changed;
  bool entered = false, open = false;
};

Task<void> wait_at(Exchange& exchange, Gate* gate) {
  gate->entered = true;
  gate->changed.notify_all();
  while (!gate->open) co_await gate->changed.wait();
  co_await test::say_ok(exchange);
}

Task<void> drain_now(Server* server, bool* drained) {
  co_await server->drain(async::deadline_in(30s));
  *drained = true;
}

Task<void> drain_politely(Bench bench, Gate* gate) {
  RawClient idle(bench);
  co_await idle.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n");
  static_cast<void>(co_await idle.read_until("ok"));
  RawClient busy(bench);
  co_await busy.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n");
  while (!gate->entered) co_await gate->changed.wait();
  async::TaskGroup group(bench.executor);
  bool drained = false;
  group.spawn(drain_now(bench.server, &drained));
  // The idle connection is closed at once, the busy one not before its answer.
  EXPECT_EQ(co_await idle.read_to_end(), "");
  EXPECT_FALSE(drained);
  gate->open = true;
  gate->changed.notify_all();
  std::string answer = co_await busy.read_to_end();
  EXPECT_EQ(test::status_in(answer), 200);
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  co_await group.wait_idle();
  EXPECT_TRUE(drained);
}

TEST(Server, DrainsPolitely) {
  Gate gate;
  Handler handler = [&](Exchange& exchange) {
    return exchange.request().path == "/busy" ? wait_at(exchange, &gate) : test::say_ok(exchange);
  };
  test::with_server(handler, [&](Bench bench) { return drain_politely(bench, &gate); });
}

Task<void> drain_hard(Bench bench, Gate* gate) {
  RawClient busy(bench);
  co_await busy.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n");
  while (!gate->entered) co_await gate->changed.wait();
  co_await bench.server->drain(std::chrono::steady_clock::now());
  EXPECT_EQ(bench.server->connections(), 0U);
  EXPECT_EQ(co_await busy.read_to_end(), "");
}

TEST(Server, CutsWhatDoesNotEndInTime) {
  Gate gate;
  Handler handler = [&](Exchange& exchange) { return wait_at(exchange, &gate); };
  test::with_server(handler, [&](Bench bench) { return drain_hard(bench, &gate); });
}

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
