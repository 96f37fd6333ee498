#include "http/test_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <utility>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "http/problem.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::http::test {

using namespace std::chrono_literals;

namespace {

UniqueFd connect_loopback(std::uint16_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // The backlog takes it, so this does not wait for the server, which runs on this thread.
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

Task<Result<void>> as_result(Task<void> task) {
  co_await std::move(task);
  co_return Result<void>();
}

Task<void> run_body(async::Executor executor, Handler handler,
                    std::function<Task<void>(Bench)> body, ServerOptions options) {
  if (options.listen.empty()) options.listen = {"127.0.0.1:0"};
  Server server(executor, std::move(handler), std::move(options));
  Result<void> started = co_await server.start();
  if (!started) {
    ADD_FAILURE() << started.error().to_string();
    co_return;
  }
  Result<void> ended = co_await async::with_deadline<void>(
      as_result(body({executor, &server})), async::deadline_in(50s), Code::kExecTimeout, "hangs");
  EXPECT_TRUE(ended.has_value()) << ended.error().to_string();
  co_await server.drain(async::deadline_in(5s));
  EXPECT_EQ(server.connections(), 0U);
}

}  // namespace

void with_server(Handler handler, std::function<Task<void>(Bench)> body, ServerOptions options) {
  async::run_to_end<void>([&](async::Executor executor) {
    return run_body(std::move(executor), handler, body, options);
  });
}

RawClient::RawClient(const Bench& bench)
    : stream_(bench.executor, connect_loopback(bench.server->port()), async::FdKind::kSocket) {}

Task<void> RawClient::send(std::string bytes) {
  static_cast<void>(co_await stream_.write_all(bytes));
}

Task<std::string> RawClient::read_until(std::string end) {
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    std::size_t at = end.empty() ? std::string::npos : received_.find(end);
    if (at != std::string::npos) {
      std::string out = received_.substr(0, at + end.size());
      received_.erase(0, out.size());
      co_return out;
    }
    Result<std::size_t> got = co_await stream_.read_some(buffer);
    if (!got || *got == 0) co_return std::exchange(received_, {});
    received_.append(buffer.data(), *got);
  }
}

Task<std::string> RawClient::read_to_end() { return read_until({}); }

void RawClient::reset() {
  linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(stream_.fd().get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  stream_.close();
}

Task<std::string> exchange_raw(Bench bench, std::string bytes) {
  RawClient client(bench);
  co_await client.send(std::move(bytes));
  co_return co_await client.read_to_end();
}

std::unique_ptr<Client> make_client(const Bench& bench) {
  ClientOptions options{.endpoint = "http://127.0.0.1:" + std::to_string(bench.server->port())};
  return std::make_unique<Client>(bench.executor, std::move(options));
}

int status_in(std::string_view answer) {
  int status = 0;
  if (answer.starts_with("HTTP/1.1 ") && answer.size() > 12) {
    std::from_chars(answer.data() + 9, answer.data() + 12, status);
  }
  return status;
}

std::string body_in(std::string_view answer) {
  std::size_t end = answer.find("\r\n\r\n");
  return end == std::string_view::npos ? "" : std::string(answer.substr(end + 4));
}

Task<void> say_ok(Exchange& exchange) {
  Response response;
  response.headers.add("Content-Type", "text/plain");
  response.body = "ok";
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

Task<void> count_body(Exchange& exchange) {
  std::array<char, 10'000> buffer;
  std::size_t total = 0;
  for (;;) {
    Result<std::size_t> got = co_await exchange.read_some(buffer);
    if (!got) {
      static_cast<void>(co_await exchange.respond(problem(got.error())));
      co_return;
    }
    if (*got == 0) break;
    total += *got;
  }
  Response response;
  response.body = std::to_string(total);
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

}  // namespace atl::http::test

// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
