// HTTP/1.1 client for one endpoint. Connections are kept and reused; a request on a reused one that
// turns out to be closed is sent once more when its method is idempotent and its body can be
// repeated. One I/O thread; any number of requests at a time, each on its own connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/message.hpp"
#include "http/raw_stream.hpp"
#include "http/websocket.hpp"

namespace atl::http {

struct ClientOptions {
  std::string endpoint;          // "http://host:port", "https://host", "unix:///path/to/socket"
  std::string ca_file = {};      // https: instead of the system's
  std::string server_name = {};  // https: instead of the host of the endpoint
  bool verify = true;            // https
  std::string certificate_file = {};  // https: what a server that asks is shown
  std::string key_file = {};
  Headers headers = {};                  // with every request
  std::size_t header_bytes = 32 * 1024;  // of a response's head; at most 48 KiB
  std::size_t idle_connections = 8;
  // Instead of connecting to the endpoint: a connected stream socket.
  std::function<Task<Result<UniqueFd>>()> connect = {};
};

// Fills the span with the next bytes of a body; 0 is its end. An Error cuts the request.
using BodySource = std::function<Task<Result<std::size_t>>(std::span<char>)>;

struct ClientRequest {
  Method method = Method::kGet;
  std::string target = "/";
  Headers headers = {};
  std::string body = {};
  BodySource source = {};                           // instead of body
  std::optional<std::uint64_t> source_length = {};  // chunked when unknown
  async::Deadline deadline = async::kNoDeadline;    // until the head of the response is there
};

class ClientResponse {
 public:
  struct Impl;
  explicit ClientResponse(std::unique_ptr<Impl> impl);
  ClientResponse(ClientResponse&&) noexcept;
  ClientResponse& operator=(ClientResponse&&) noexcept;
  ~ClientResponse();  // a body that was not read to its end costs the connection

  int status() const;
  const Headers& headers() const;
  bool ok() const { return status() >= 200 && status() < 300; }
  // kTooLarge beyond `limit`; kIo when the server went away before the end.
  Task<Result<std::string>> read_body(std::size_t limit,
                                      async::Deadline deadline = async::kNoDeadline);
  // 0 at the end; a body that was cut is an Error.
  Task<Result<std::size_t>> read_some(std::span<char> into,
                                      async::Deadline deadline = async::kNoDeadline);
  // The bare connection, after 101 or a 200 that says so by agreement (docker attach).
  Result<std::unique_ptr<RawStream>> hijack();

 private:
  std::unique_ptr<Impl> impl_;
};

class Client {
 public:
  Client(async::Executor executor, ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // kInvalidArgument for a bad endpoint, kTransferTimeout at the deadline, kIo when nobody answers.
  Task<Result<ClientResponse>> send(ClientRequest request);
  // kBackend, naming the status, when the server does not switch.
  Task<Result<std::unique_ptr<WebSocket>>> websocket(std::string target, WebSocketOptions options,
                                                     async::Deadline deadline);
  std::size_t idle_connections() const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace atl::http
