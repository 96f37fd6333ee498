// One MCP client on stdio, spoken for at a server's /mcp: its messages go there, and what comes
// back is delivered as lines. Nothing of MCP is decided here; only what HTTP needs is read from
// messages: which belongs to which, and what stands in the head of a request. One I/O thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "client/api.hpp"

namespace atl::client {

class McpLink {
 public:
  struct Options {
    // The server to talk to. Asked again, with `again`, when the last one does not answer.
    std::function<Task<Result<Address>>(bool again)> server;
    std::function<Task<void>(std::string line)> deliver;  // to the client
  };
  static constexpr std::size_t kMaxLine = 16u << 20;
  static constexpr std::size_t kAtOnce = 256;  // requests; then lines are not taken any more

  McpLink(async::Executor executor, Options options);
  McpLink(const McpLink&) = delete;
  McpLink& operator=(const McpLink&) = delete;
  ~McpLink();

  // One message of the client. Returns when it is on its way.
  Task<void> take(std::string line);
  // Nothing more comes: what runs is given up, and the server told.
  Task<void> finish();

 private:
  struct Exchange;
  using ExchangePtr = std::shared_ptr<Exchange>;

  Task<void> run(ExchangePtr exchange);
  Task<Result<bool>> forward(ExchangePtr exchange);
  Task<Result<void>> read_stream(ExchangePtr exchange, http::ClientResponse* response);
  Task<void> read_answer(ExchangePtr exchange, http::ClientResponse* response);
  Task<Result<http::ClientResponse>> send(const Exchange* exchange, bool again);
  Task<Result<http::Client*>> client(bool again);
  Task<Result<void>> begin_again();
  http::ClientRequest request_of(const Exchange& exchange) const;
  void remember(const Exchange& exchange, const http::ClientResponse& response);
  Task<void> deliver(ExchangePtr exchange, std::string message);
  Task<void> refuse(ExchangePtr exchange, Error error);
  bool cancel(const Exchange& cancellation);

  async::Executor executor_;
  Options options_;
  std::string name_;  // of this process, for its sandbox
  std::optional<Address> address_;
  std::unique_ptr<http::Client> client_;
  std::uint64_t generation_ = 0;  // of the server
  std::string initialize_;        // the message, to begin again with
  std::string session_;
  std::string version_;
  std::uint64_t session_generation_ = 0;
  bool opening_ = false;
  bool initializing_ = false;                   // messages behind `initialize` wait for its session
  std::map<std::string, ExchangePtr> running_;  // by id
  std::size_t at_once_ = 0;
  async::Event changed_;
  async::TaskGroup tasks_;
};

}  // namespace atl::client
