#include "client/mcp_link.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/object.hpp>

#include "base/ids.hpp"
#include "client/mcp_message.hpp"
#include "codec/json.hpp"
#include "http/problem.hpp"
#include "http/sse.hpp"

namespace atl::client {

namespace {

namespace json = boost::json;
using http::ClientRequest;
using http::ClientResponse;

// A server that is busy with a call says so every 15 seconds.
constexpr std::chrono::seconds kSilence{60};
constexpr std::chrono::seconds kGoodBye{5};
constexpr std::size_t kMaxAnswer = 64u << 20;

bool is_stream(const ClientResponse& response) {
  return response.headers().get("content-type").starts_with("text/event-stream");
}

}  // namespace

// One message of the client and what came of it.
struct McpLink::Exchange {
  McpMessage message;
  std::string text;
  bool answered = false;
  bool cancelled = false;
  std::unique_ptr<async::TaskGroup> group;  // of its request; closed when it is cancelled
};

McpLink::McpLink(async::Executor executor, Options options)
    : executor_(executor),
      options_(std::move(options)),
      name_(make_sortable_id()),
      tasks_(executor) {}

McpLink::~McpLink() = default;

Task<void> McpLink::take(std::string line) {
  while (at_once_ >= kAtOnce) co_await changed_.wait();
  auto exchange = std::make_shared<Exchange>();
  exchange->message = read_mcp_message(line);
  exchange->text = std::move(line);
  if (exchange->message.is_cancellation() && cancel(*exchange)) co_return;
  const std::string& id = exchange->message.id;
  if (exchange->message.is_request()) {
    if (running_.contains(id)) {
      co_await options_.deliver(
          error_line(exchange->message, -32600, "a request with this id is still running"));
      co_return;
    }
    running_[id] = exchange;
  }
  ++at_once_;
  if (exchange->message.is_initialize()) initializing_ = true;
  tasks_.spawn(run(std::move(exchange)));
}

// A modern request is cancelled by closing it; a legacy server wants to be told, and is.
bool McpLink::cancel(const Exchange& cancellation) {
  auto found = running_.find(cancellation.message.cancelled_id);
  if (found == running_.end()) return false;
  found->second->cancelled = true;
  if (!found->second->message.modern()) return false;
  if (found->second->group) found->second->group->close();
  return true;
}

Task<void> McpLink::run(ExchangePtr exchange) {
  bool first = exchange->message.is_initialize();
  while (initializing_ && !first && !exchange->message.modern()) co_await changed_.wait();
  Result<bool> forwarded = co_await forward(exchange);
  if (!forwarded) co_await refuse(exchange, forwarded.error());
  bool missing = forwarded && exchange->message.is_request() && !exchange->answered;
  if (missing) co_await refuse(exchange, Error(Code::kIo, "the server went away"));
  if (exchange->message.is_request()) running_.erase(exchange->message.id);
  if (first) initializing_ = false;
  --at_once_;
  changed_.notify_all();
}

namespace {

Task<void> keep(Task<Result<void>> task, std::optional<Result<void>>* result) {
  result->emplace(co_await std::move(task));
}

}  // namespace

// Sends it, and again when the server does not know the session any more.
Task<Result<bool>> McpLink::forward(ExchangePtr exchange) {
  for (bool again = false;; again = true) {
    ATOLL_CO_TRY(ClientResponse response, co_await send(exchange.get(), again));
    bool lost = response.status() == 404 && !exchange->message.modern() && !session_.empty() &&
                !exchange->message.is_initialize() && !again;
    if (lost) {
      (void)co_await response.read_body(kMaxAnswer, async::deadline_in(kSilence));
      session_.clear();
      continue;
    }
    remember(*exchange, response);
    if (!is_stream(response)) {
      co_await read_answer(exchange, &response);
      co_return true;
    }
    std::optional<Result<void>> read;
    exchange->group = std::make_unique<async::TaskGroup>(executor_);
    exchange->group->spawn(keep(read_stream(exchange, &response), &read));
    co_await exchange->group->wait_idle();
    co_return true;
  }
}

Task<Result<ClientResponse>> McpLink::send(const Exchange* exchange, bool again) {
  bool legacy = !exchange->message.modern() && !exchange->message.is_initialize();
  ATOLL_CO_TRY(http::Client * client, co_await this->client(false));
  if (legacy && !initialize_.empty() && (again || session_generation_ != generation_)) {
    ATOLL_CO_CHECK(co_await begin_again());
  }
  Result<ClientResponse> response = co_await client->send(request_of(*exchange));
  if (response || response.error().code() != Code::kIo) co_return response;
  // Nobody was there to take it: another server may be.
  std::uint64_t before = generation_;
  ATOLL_CO_TRY(client, co_await this->client(true));
  if (generation_ == before) co_return response;
  if (legacy && !initialize_.empty()) ATOLL_CO_CHECK(co_await begin_again());
  co_return co_await client->send(request_of(*exchange));
}

Task<Result<http::Client*>> McpLink::client(bool again) {
  std::uint64_t seen = generation_;
  while (opening_) co_await changed_.wait();
  bool other = generation_ != seen;
  if (client_ && (!again || other)) co_return client_.get();
  opening_ = true;
  Result<Address> address = co_await options_.server(again && client_ != nullptr);
  opening_ = false;
  changed_.notify_all();
  if (!address) co_return fail(address.error());
  if (client_ && address_ && address_->url == address->url) co_return client_.get();
  address_ = std::move(*address);
  http::ClientOptions options{.endpoint = address_->url, .ca_file = address_->ca_file};
  options.idle_connections = 32;
  if (!address_->key.empty()) options.headers.add("Authorization", "Bearer " + address_->key);
  client_ = std::make_unique<http::Client>(executor_, std::move(options));
  ++generation_;
  co_return client_.get();
}

// The server does not know this client: says `initialize` for it once more.
Task<Result<void>> McpLink::begin_again() {
  Exchange first{.message = read_mcp_message(initialize_), .text = initialize_};
  session_.clear();
  std::uint64_t generation = generation_;
  ATOLL_CO_TRY(ClientResponse response, co_await client_->send(request_of(first)));
  remember(first, response);
  session_generation_ = generation;
  (void)co_await response.read_body(kMaxAnswer, async::deadline_in(kSilence));
  if (!response.ok()) co_return fail(Code::kBackend, "the server refused a new session");
  co_return Result<void>();
}

ClientRequest McpLink::request_of(const Exchange& exchange) const {
  const McpMessage& message = exchange.message;
  ClientRequest request{.method = http::Method::kPost,
                        .target = "/mcp",
                        .body = exchange.text,
                        .deadline = async::deadline_in(kSilence)};
  http::Headers& headers = request.headers;
  headers.add("Content-Type", "application/json");
  headers.add("Accept", "application/json, text/event-stream");
  headers.add("Atoll-Mcp-Client", name_);
  if (message.modern()) {
    headers.add("MCP-Protocol-Version", message.version);
    headers.add("Mcp-Method", message.method);
    if (message.name) headers.add("Mcp-Name", mcp_header_value(*message.name));
  } else if (!message.is_initialize()) {
    if (!session_.empty()) headers.add("Mcp-Session-Id", session_);
    if (!version_.empty()) headers.add("MCP-Protocol-Version", version_);
  }
  return request;
}

void McpLink::remember(const Exchange& exchange, const ClientResponse& response) {
  if (!exchange.message.is_initialize() || !response.ok()) return;
  initialize_ = exchange.text;
  session_ = response.headers().get("mcp-session-id");
  session_generation_ = generation_;
}

Task<Result<void>> McpLink::read_stream(ExchangePtr exchange, ClientResponse* response) {
  http::SseReader reader(kMaxAnswer);
  std::array<char, 64u << 10> buffer{};
  for (;;) {
    ATOLL_CO_TRY(std::size_t got,
                 co_await response->read_some(buffer, async::deadline_in(kSilence)));
    if (got == 0) co_return Result<void>();
    ATOLL_CO_CHECK(reader.feed({buffer.data(), got}));
    while (std::optional<http::SseEvent> event = reader.next()) {
      if (!event->data.empty()) co_await deliver(exchange, std::move(event->data));
    }
  }
}

Task<void> McpLink::read_answer(ExchangePtr exchange, ClientResponse* response) {
  int status = response->status();
  Result<std::string> body = co_await response->read_body(kMaxAnswer, async::deadline_in(kSilence));
  if (!body) co_return;
  bool ours = is_mcp_text(*body);
  if (ours) {
    if (exchange->message.is_initialize()) version_ = agreed_version(*body);
    co_await deliver(exchange, std::move(*body));
  } else if (status >= 400) {
    co_await refuse(exchange, http::error_from(status, *body));
  }
}

Task<void> McpLink::deliver(ExchangePtr exchange, std::string message) {
  if (exchange->cancelled && exchange->message.modern()) co_return;
  if (exchange->message.is_notification()) co_return;  // nobody answers those
  exchange->answered = exchange->answered || is_answer(message, exchange->message.id);
  co_await options_.deliver(std::move(message));
}

Task<void> McpLink::refuse(ExchangePtr exchange, Error error) {
  if (!exchange->message.is_request() || exchange->answered || exchange->cancelled) co_return;
  exchange->answered = true;
  co_await options_.deliver(error_line(exchange->message, -32603, error.message()));
}

Task<void> McpLink::finish() {
  co_await tasks_.join();
  if (!client_) co_return;
  ClientRequest request{
      .method = http::Method::kDelete, .target = "/mcp", .deadline = async::deadline_in(kGoodBye)};
  request.headers.add("Atoll-Mcp-Client", name_);
  if (!session_.empty()) request.headers.add("Mcp-Session-Id", session_);
  Result<ClientResponse> response = co_await client_->send(std::move(request));
  if (response) (void)co_await response->read_body(kMaxAnswer, async::deadline_in(kGoodBye));
}

}  // namespace atl::client
