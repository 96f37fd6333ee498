// Clients that lie, dawdle, vanish or send nonsense.
#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "async/event.hpp"
#include "async/task_group.hpp"
#include "http/server.hpp"
#include "http/test_server.hpp"
#include "observe/log.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http {
namespace {

using namespace std::chrono_literals;
using test::Bench;
using test::RawClient;

ServerOptions with_limits(ServerLimits limits) {
  ServerOptions options;
  options.limits = limits;
  return options;
}

Task<void> expect_status(Bench bench, std::string request, int status) {
  std::string answer = co_await test::exchange_raw(bench, request);
  EXPECT_EQ(test::status_in(answer), status) << request.substr(0, 200) << "\n---\n" << answer;
  EXPECT_EQ(answer.find("HTTP/1.1 ", 1), std::string::npos) << "answered twice: " << request;
}

TEST(Hostile, AmbiguousFramingIsRefused) {
  test::with_server(test::count_body, [](Bench bench) -> Task<void> {
    const std::string start = "POST / HTTP/1.1\r\nHost: a\r\n";
    for (const char* fields : {
             "Content-Length: 3\r\nContent-Length: 3\r\n",
             "Content-Length: 3\r\nContent-Length: 4\r\n",
             "Content-Length: 3, 3\r\n",
             "Content-Length: +3\r\n",
             "Content-Length: -1\r\n",
             "Content-Length: 0x3\r\n",
             "Content-Length: 99999999999999999999999\r\n",
             "Content-Length: \r\n",
             "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: gzip, chunked\r\n",
             "Transfer-Encoding: chunked, identity\r\n",
             "Transfer-Encoding: identity\r\n",
             "Transfer-Encoding: xchunked\r\n",
             "Transfer-Encoding: \"chunked\"\r\n",
             "Transfer-Encoding : chunked\r\n",
             " Transfer-Encoding: chunked\r\n",
             "X: y\r\n\tTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding:\x0b chunked\r\n",
             "Transfer-Encoding: chunked\n\r\n",
             "X: a\rb\r\n",
             "Bad Name: x\r\n",
             ": x\r\n",
             "Host: b\r\n",
         }) {
      co_await expect_status(bench, start + fields + "\r\nabcGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                             400);
    }
  });
}

TEST(Hostile, BadRequestLinesAreRefused) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    const std::string end = "\r\nHost: a\r\n\r\n";
    co_await expect_status(bench, "GET / HTTP/1.1\r\n\r\n", 400);  // no Host
    co_await expect_status(bench, "GET  / HTTP/1.1" + end, 400);
    co_await expect_status(bench, "GET /a b HTTP/1.1" + end, 505);
    co_await expect_status(bench, "GET / HTTP/2.0" + end, 505);
    co_await expect_status(bench, "GET / HTTP/1.10" + end, 505);
    co_await expect_status(bench, "G\x01T / HTTP/1.1" + end, 400);
    co_await expect_status(bench, "BREW / HTTP/1.1" + end, 501);
    co_await expect_status(bench, "GET nonsense HTTP/1.1" + end, 400);
    co_await expect_status(bench, "GET /?a=%zz HTTP/1.1" + end, 400);
    co_await expect_status(bench, std::string("GET /\0 HTTP/1.1", 15) + end, 400);
    co_await expect_status(bench, "\x16\x03\x01\x02\r\n\r\n", 400);  // TLS to a plain port
    co_await expect_status(bench, "GET / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n", 417);
  });
}

TEST(Hostile, BadChunksAreRefused) {
  test::with_server(test::count_body, [](Bench bench) -> Task<void> {
    const std::string start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const char* body :
         {"x\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n",
          "0x3\r\nabc\r\n0\r\n\r\n", "3\nabc\r\n0\r\n\r\n", "11111111111111111\r\nabc",
          "0\r\nContent-Length: 3\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
      co_await expect_status(bench, start + body, 400);
    }
  });
}

TEST(Hostile, ChunksMayComeByteByByte) {
  test::with_server(test::count_body, [](Bench bench) -> Task<void> {
    const std::string start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (std::string body : {"0\r\n\r\n", "0\r\nA: b\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"}) {
      RawClient client(bench);
      co_await client.send(start);
      for (char byte : body) {
        co_await client.send(std::string(1, byte));
        for (int i = 0; i < 5; ++i) co_await async::yield_now();
      }
      std::string head = co_await client.read_until("\r\n\r\n");
      EXPECT_EQ(test::status_in(head), 200) << body;
    }
  });
}

TEST(Hostile, HugeHeadsAreRefused) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\n";
    co_await expect_status(bench, start + "X: " + std::string(1'000'000, 'x'), 431);
    std::string many;
    for (int i = 0; i < 101; ++i) many += "A: b\r\n";
    co_await expect_status(bench, start + many + "\r\n", 431);
    co_await expect_status(
        bench, "GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n", 431);
  });
}

// Field by field, so that a parser which forgets what it has used never sees too much at once.
TEST(Hostile, HeadsThatGrowSlowlyAreBounded) {
  test::with_server(test::say_ok, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    co_await client.send("GET / HTTP/1.1\r\nHost: a\r\n");
    for (int i = 0; i < 90; ++i) {
      co_await client.send("A: " + std::string(250, 'x') + "\r\n");
      co_await async::yield_now();
    }
    std::string answer = co_await client.read_to_end();
    EXPECT_EQ(test::status_in(answer), 431);
  });
}

TEST(Hostile, TrailersAreBounded) {
  test::with_server(test::count_body, [](Bench bench) -> Task<void> {
    std::string request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    for (int i = 0; i < 1000; ++i) request += "T: " + std::string(200, 'x') + "\r\n";
    co_await expect_status(bench, request, 413);
    request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;";
    request += std::string(200'000, 'x');
    co_await expect_status(bench, request, 413);
  });
}

TEST(Hostile, SlowHeadsAreCutOff) {
  ServerLimits limits;
  limits.header_time = 50ms;
  test::with_server(
      test::say_ok,
      [](Bench bench) -> Task<void> {
        co_await expect_status(bench, "GET / HTTP/1.1\r\nHos", 408);
        // One byte at a time does not buy more time: the deadline is for the whole head.
        RawClient client(bench);
        for (int i = 0; i < 10'000 && (i == 0 || bench.server->connections() > 0); ++i) {
          co_await client.send("x");
          co_await async::sleep_for(1ms);
        }
        EXPECT_EQ(bench.server->connections(), 0U);
        // Nothing at all: closed without a word.
        EXPECT_EQ(co_await test::exchange_raw(bench, ""), "");
      },
      with_limits(limits));
}

TEST(Hostile, IdleConnectionsAreClosed) {
  ServerLimits limits;
  limits.idle_time = 50ms;
  test::with_server(
      test::say_ok,
      [](Bench bench) -> Task<void> {
        std::string answer =
            co_await test::exchange_raw(bench, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(test::body_in(answer), "ok");
      },
      with_limits(limits));
}

struct Upload {
  std::size_t bytes = 0;
  bool ended = false;
  bool failed = false;
  Code code = Code::kOk;
  async::Event changed;
};

Task<void> note_upload(Exchange& exchange, Upload* upload) {
  std::array<char, 1000> buffer;
  for (;;) {
    Result<std::size_t> got = co_await exchange.read_some(buffer);
    if (got && *got > 0) {
      upload->bytes += *got;
      continue;
    }
    upload->ended = got.has_value();
    upload->failed = !got;
    if (!got) upload->code = got.error().code();
    upload->changed.notify_all();
    co_return co_await test::say_ok(exchange);
  }
}

Task<void> cut_upload(Bench bench, Upload* upload, std::string bytes, bool by_reset) {
  RawClient client(bench);
  co_await client.send(std::move(bytes));
  while (upload->bytes < 3) co_await async::yield_now();
  if (by_reset) {
    client.reset();
  } else {
    client.close();
  }
  while (!upload->ended && !upload->failed) co_await upload->changed.wait();
  EXPECT_FALSE(upload->ended);
  EXPECT_EQ(upload->code, Code::kInvalidArgument);
}

TEST(Hostile, CutUploadsAreNeverTakenForWhole) {
  const std::string counted = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc";
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
  for (const std::string& bytes : {counted, chunked, chunked + "0\r\n", chunked + "5\r\nab"}) {
    for (bool by_reset : {false, true}) {
      Upload upload;
      test::with_server([&](Exchange& exchange) { return note_upload(exchange, &upload); },
                        [&](Bench bench) { return cut_upload(bench, &upload, bytes, by_reset); });
    }
  }
}

Task<void> stall_upload(Bench bench, Upload* upload) {
  RawClient client(bench);
  co_await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  while (!upload->failed) co_await upload->changed.wait();
  EXPECT_EQ(upload->code, Code::kTransferTimeout);
}

TEST(Hostile, StalledUploadsTimeOut) {
  Upload upload;
  ServerLimits limits;
  limits.body_time = 50ms;
  test::with_server([&](Exchange& exchange) { return note_upload(exchange, &upload); },
                    [&](Bench bench) { return stall_upload(bench, &upload); }, with_limits(limits));
}

TEST(Hostile, HalfClosedClientsGetTheirAnswer) {
  test::with_server(test::count_body, [](Bench bench) -> Task<void> {
    RawClient client(bench);
    co_await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    client.shutdown_write();
    std::string answer = co_await client.read_to_end();
    EXPECT_EQ(test::body_in(answer), "3");
  });
}

TEST(Hostile, TooManyConnectionsAreRefused) {
  ServerLimits limits;
  limits.connections = 2;
  test::with_server(
      test::say_ok,
      [](Bench bench) -> Task<void> {
        RawClient first(bench), second(bench);
        while (bench.server->connections() < 2) co_await async::yield_now();
        std::string answer =
            co_await test::exchange_raw(bench, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(test::status_in(answer), 503);
        EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
        first.close();
        while (bench.server->connections() == 2) co_await async::yield_now();
        answer = co_await test::exchange_raw(
            bench, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        EXPECT_EQ(test::status_in(answer), 200);
      },
      with_limits(limits));
}

Task<void> use_up_descriptors(Bench bench) {
  RawClient waiting(bench);
  co_await waiting.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  // From here on the process has no descriptor left, and the server not yet accepted.
  rlimit before{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::vector<UniqueFd> taken;
  rlimit low{.rlim_cur = 64, .rlim_max = before.rlim_max};
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  for (;;) {
    UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!fd) break;
    taken.push_back(std::move(fd));
  }
  std::string answer = co_await waiting.read_to_end();
  EXPECT_EQ(test::status_in(answer), 503);
  taken.clear();
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  answer =
      co_await test::exchange_raw(bench, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(test::status_in(answer), 200);
}

TEST(Hostile, RunsOutOfDescriptorsAndComesBack) {
  log::set_sink([](std::string_view) {});
  test::with_server(test::say_ok, use_up_descriptors);
  log::set_sink(nullptr);
}

}  // namespace
}  // namespace atl::http

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
