#include "http/client.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "async/pool.hpp"
#include "http/client_connection.hpp"
#include "http/endpoint.hpp"
#include "http/head.hpp"
#include "http/wire_raw_stream.hpp"

namespace atl::http {

struct Client::Impl {
  Impl(async::Executor with, ClientOptions how)
      : executor(std::move(with)),
        options(std::move(how)),
        endpoint(parse_endpoint(options.endpoint)) {}

  async::Executor executor;
  ClientOptions options;
  Result<Endpoint> endpoint;
  std::optional<TlsContext> tls;
  std::shared_ptr<async::Pool> pool;
  std::vector<std::unique_ptr<ClientConnection>> idle;
};

struct ClientResponse::Impl {
  std::weak_ptr<Client::Impl> client;
  std::unique_ptr<ClientConnection> connection;  // until it went back to the client
  int status = 0;
  Headers headers;
};

namespace {

using ClientImpl = Client::Impl;

bool is_idempotent(Method method) { return method != Method::kPost && method != Method::kPatch; }

std::unique_ptr<ClientConnection> take_idle(ClientImpl& client) {
  while (!client.idle.empty()) {
    std::unique_ptr<ClientConnection> connection = std::move(client.idle.back());
    client.idle.pop_back();
    connection->reused = true;
    if (connection->is_fresh()) return connection;
  }
  return nullptr;
}

void give_back(const std::weak_ptr<ClientImpl>& owner,
               std::unique_ptr<ClientConnection> connection) {
  std::shared_ptr<ClientImpl> client = owner.lock();
  bool good = client && connection->parser.keep_alive() && connection->sent_whole &&
              client->idle.size() < client->options.idle_connections;
  if (good) client->idle.push_back(std::move(connection));
}

Task<Result<std::unique_ptr<ClientConnection>>> open_connection(
    std::shared_ptr<ClientImpl> client) {
  if (!client->endpoint) co_return fail(client->endpoint.error());
  std::shared_ptr<Wire> wire;
  if (client->options.connect) {
    ATOLL_CO_TRY(UniqueFd fd, co_await client->options.connect());
    wire = std::make_shared<Wire>(client->executor, std::move(fd));
  } else {
    ATOLL_CO_TRY(wire, co_await connect_to(client->executor, *client->endpoint, &client->pool));
  }
  if (client->endpoint->tls) {
    if (!client->tls) {
      const ClientOptions& options = client->options;
      ATOLL_CO_TRY(TlsContext made, TlsContext::client(options.ca_file, options.verify));
      if (!options.certificate_file.empty()) {
        ATOLL_CO_CHECK(made.use_certificate(options.certificate_file, options.key_file));
      }
      client->tls = std::move(made);
    }
    const std::string& name = client->options.server_name;
    ATOLL_CO_CHECK(
        co_await wire->start_tls(*client->tls, name.empty() ? client->endpoint->host : name));
  }
  co_return std::make_unique<ClientConnection>(std::move(wire));
}

std::string request_head(const ClientImpl& client, const ClientRequest& request) {
  std::string head;
  head += method_name(request.method);
  ((head += ' ') += request.target) += " HTTP/1.1\r\n";
  if (!request.headers.has("host")) append_field(head, "Host", client.endpoint->host_header);
  append_fields(head, request.headers);
  for (const Headers::Field& field : client.options.headers) {
    if (!request.headers.has(field.name)) append_field(head, field.name, field.value);
  }
  // An upgrade is the caller's to ask for.
  if (auto connection = request.headers.find("connection")) {
    append_field(head, "Connection", *connection);
  }
  return head;
}

bool is_clean_target(std::string_view target) {
  for (char c : target) {
    if (c <= ' ' || c == 127) return false;
  }
  return target.starts_with('/') || target == "*";
}

Task<Result<ClientResponse>> send_now(std::shared_ptr<ClientImpl> client, ClientRequest request) {
  if (!client->endpoint) co_return fail(client->endpoint.error());
  if (!is_clean_target(request.target)) {
    co_return fail(Code::kInvalidArgument, "not a request target: " + request.target);
  }
  bool repeatable = is_idempotent(request.method) && !request.source;
  for (bool again = false;; again = true) {
    std::unique_ptr<ClientConnection> connection;
    if (!again) connection = take_idle(*client);
    if (!connection) {
      ATOLL_CO_TRY(connection, co_await open_connection(client));
    }
    auto response = std::make_unique<ClientResponse::Impl>();
    response->client = client;
    Result<void> done = co_await connection->send(&request, request_head(*client, request));
    Result<void> answered = done;
    // A server that refuses a body answers and closes: look for that answer. The source's own
    // failure is nobody's answer.
    if (done || done.error().code() == Code::kIo) {
      answered = co_await connection->read_head(client->options.header_bytes,
                                                request.method == Method::kHead, &response->status,
                                                &response->headers);
    }
    if (!answered) {
      if (connection->reused && !connection->heard && repeatable && !again) continue;
      co_return fail(done ? std::move(answered).error() : std::move(done).error());
    }
    if (connection->body.done() && response->status != 101) {
      give_back(response->client, std::move(connection));
    } else {
      response->connection = std::move(connection);
    }
    co_return ClientResponse(std::move(response));
  }
}

Task<Result<std::unique_ptr<WebSocket>>> open_websocket(std::shared_ptr<ClientImpl> client,
                                                        std::string target,
                                                        WebSocketOptions options) {
  if (!is_clean_target(target)) {
    co_return fail(Code::kInvalidArgument, "not a request target: " + target);
  }
  ATOLL_CO_TRY(std::unique_ptr<ClientConnection> connection, co_await open_connection(client));
  for (const Headers::Field& field : client->options.headers) {
    if (!options.headers.has(field.name)) options.headers.add(field.name, field.value);
  }
  co_return co_await connect_websocket(connection->wire, client->endpoint->host_header,
                                       std::move(target), std::move(options));
}

// What was cancelled by the deadline may say so itself.
template <typename T>
Task<Result<T>> in_time(Task<Result<T>> task, async::Deadline deadline) {
  constexpr const char* kLate = "the server did not answer in time";
  Result<T> result =
      co_await async::with_deadline<T>(std::move(task), deadline, Code::kTransferTimeout, kLate);
  bool late = !result && result.error().code() == Code::kCancelled &&
              std::chrono::steady_clock::now() >= deadline;
  if (late) co_return fail(Code::kTransferTimeout, kLate);
  co_return result;
}

}  // namespace

Client::Client(async::Executor executor, ClientOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options))) {}
Client::~Client() = default;

Task<Result<ClientResponse>> Client::send(ClientRequest request) {
  async::Deadline deadline = request.deadline;
  return in_time(send_now(impl_, std::move(request)), deadline);
}

Task<Result<std::unique_ptr<WebSocket>>> Client::websocket(std::string target,
                                                           WebSocketOptions options,
                                                           async::Deadline deadline) {
  return in_time(open_websocket(impl_, std::move(target), std::move(options)), deadline);
}

std::size_t Client::idle_connections() const { return impl_->idle.size(); }

ClientResponse::ClientResponse(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClientResponse::ClientResponse(ClientResponse&&) noexcept = default;
ClientResponse& ClientResponse::operator=(ClientResponse&&) noexcept = default;
ClientResponse::~ClientResponse() = default;

int ClientResponse::status() const { return impl_->status; }
const Headers& ClientResponse::headers() const { return impl_->headers; }

Task<Result<std::string>> ClientResponse::read_body(std::size_t limit, async::Deadline deadline) {
  if (!impl_->connection) co_return std::string();
  Result<std::string> body = co_await in_time(impl_->connection->body.read_all(limit), deadline);
  if (body) give_back(impl_->client, std::move(impl_->connection));
  co_return body;
}

Task<Result<std::size_t>> ClientResponse::read_some(std::span<char> into,
                                                    async::Deadline deadline) {
  if (!impl_->connection) co_return 0;
  Result<std::size_t> got = co_await in_time(impl_->connection->body.read_some(into), deadline);
  if (got && impl_->connection->body.done()) give_back(impl_->client, std::move(impl_->connection));
  co_return got;
}

Result<std::unique_ptr<RawStream>> ClientResponse::hijack() {
  if (!impl_->connection) return fail(Code::kConflict, "the response has ended");
  std::unique_ptr<ClientConnection> connection = std::move(impl_->connection);
  std::string early(connection->inbox.view());
  return std::make_unique<WireRawStream>(connection->wire, std::move(early));
}

}  // namespace atl::http
