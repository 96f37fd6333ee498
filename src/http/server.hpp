// The HTTP/1.1 server: listens, reads requests with every limit in force, hands each to the one
// Handler and keeps connections alive. Everything runs on one I/O thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"

namespace atl::http {

struct ServerLimits {
  std::size_t header_bytes = 16 * 1024;  // request line and fields together; at most 48 KiB
  std::size_t header_fields = 100;
  std::chrono::milliseconds header_time{std::chrono::seconds(10)};  // first byte to last of a head
  std::chrono::milliseconds idle_time{std::chrono::seconds(75)};    // between requests
  std::chrono::milliseconds body_time{std::chrono::seconds(60)};    // no byte moves, either way
  std::chrono::milliseconds linger_time{std::chrono::seconds(2)};   // for the client to read its
                                                                    // last answer
  std::size_t unread_body = 256 * 1024;  // read and dropped to keep a connection
  std::size_t connections = 10'000;
};

struct TlsFiles {
  std::string certificate;  // PEM, the chain
  std::string key;          // PEM
};

struct ServerOptions {
  std::vector<std::string> listen;  // "127.0.0.1:8080", "[::1]:8080", "unix:PATH"; port 0 picks one
  std::optional<TlsFiles> tls = {};  // for the TCP addresses
  ServerLimits limits = {};
  // Exceptions of handlers, after they were logged: to be counted.
  std::function<void(const Request&, std::exception_ptr)> on_error = {};
};

class Server {
 public:
  Server(async::Executor executor, Handler handler, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Closes everything; handlers that have not ended unwind from the event loop, so drain() first
  // when they use what dies with the Server.
  ~Server();

  // All addresses or none. An address in use is kAlreadyExists and named.
  Task<Result<void>> start();
  // What was bound, in the order of options.listen.
  std::vector<std::string> addresses() const;
  std::uint16_t port() const;  // of the first TCP address; 0 when there is none
  std::size_t connections() const;

  // Stops accepting, lets running requests end and tells their clients `Connection: close`; at the
  // deadline it cancels what still runs. Everything has ended when this returns.
  Task<void> drain(async::Deadline deadline);

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace atl::http
