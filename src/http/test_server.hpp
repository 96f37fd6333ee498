// For the tests of http/: a server on a free port of the loopback, and a client that sends any
// bytes it likes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "async/stream.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "http/server.hpp"

namespace atl::http::test {

struct Bench {
  async::Executor executor;
  Server* server;
};

// Runs `body` beside the server, both on this thread, then drains. Fails the test instead of
// hanging. options.listen is 127.0.0.1:0 when empty.
void with_server(Handler handler, std::function<Task<void>(Bench)> body,
                 ServerOptions options = {});

class RawClient {
 public:
  RawClient(const Bench& bench);  // connected

  Task<void> send(std::string bytes);
  // Until `end` was received, or the connection ended; everything received since the last call.
  Task<std::string> read_until(std::string end);
  Task<std::string> read_to_end();
  void shutdown_write() { stream_.shutdown_write(); }
  // Closes with a reset.
  void reset();
  void close() { stream_.close(); }
  async::Stream& stream() { return stream_; }

 private:
  async::Stream stream_;
  std::string received_;
};

// Sends `bytes` on a connection of its own and gives what came until the server closed it.
Task<std::string> exchange_raw(Bench bench, std::string bytes);
// A Client of the server.
std::unique_ptr<Client> make_client(const Bench& bench);
// "HTTP/1.1 200 OK" -> 200; 0 when there is none.
int status_in(std::string_view answer);
// The answer after its head.
std::string body_in(std::string_view answer);

Task<void> say_ok(Exchange& exchange);
// Answers with the size of the body it read.
Task<void> count_body(Exchange& exchange);

}  // namespace atl::http::test
