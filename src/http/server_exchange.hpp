// The Exchange of a connection: used again for each of its requests. Internal to http/.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <string>

#include "http/body_reader.hpp"
#include "http/exchange.hpp"
#include "http/head.hpp"
#include "http/inbox.hpp"
#include "http/server_core.hpp"
#include "http/transport.hpp"
#include "http/wire.hpp"

namespace atl::http {

class ServerExchange final : public Exchange {
 public:
  ServerExchange(std::shared_ptr<ServerCore> core, std::shared_ptr<Wire> wire);
  ~ServerExchange() override;

  Task<Result<std::string>> read_body(std::size_t limit) override;
  Task<Result<std::size_t>> read_some(std::span<char> into) override;
  Task<Result<void>> respond(Response response) override;
  Task<Result<void>> begin(int status, Headers headers,
                           std::optional<std::uint64_t> length) override;
  Task<Result<void>> write(std::string_view bytes) override;
  Task<Result<void>> finish() override;
  bool answered() const override { return state_ != State::kOpen; }
  int status() const override { return status_; }
  std::uint64_t bytes_sent() const override { return sent_; }
  bool client_stalled() const override { return wire_->expired(); }
  Task<void> client_gone() override;
  void cut() override;
  Task<Result<std::unique_ptr<WebSocket>>> upgrade(WebSocketOptions options) override;
  Task<Result<std::unique_ptr<RawStream>>> switch_protocols(Headers headers) override;

  // For the connection.
  std::expected<void, BadHead> take_head(std::string_view head);
  Inbox& inbox() { return inbox_; }
  BodyReader& body() { return body_; }
  // All of the answer went out.
  bool is_whole() const {
    bool complete = state_ == State::kStreaming && (bodyless_ || left_ == 0);
    return !broken_ && (state_ == State::kDone || complete);
  }
  // Another request may follow on the connection.
  bool may_go_on() const { return is_whole() && !close_; }
  bool has_left_http() const { return state_ == State::kSwitched; }

 private:
  enum class State { kOpen, kStreaming, kDone, kSwitched };

  bool is_bodyless(int status) const;
  void start_head(int status, const Headers& headers, std::optional<std::uint64_t> length,
                  bool chunked);
  Task<Result<void>> send(std::span<iovec> buffers);
  Task<Result<void>> say_continue();
  std::string take_early();

  std::shared_ptr<ServerCore> core_;
  std::shared_ptr<Wire> wire_;
  Inbox inbox_;
  MessageParser parser_;
  BodyReader body_;
  GoneWatch::Entry gone_;

  State state_ = State::kOpen;
  int status_ = 0;
  std::uint64_t sent_ = 0;
  std::optional<std::uint64_t> left_;  // of an announced length
  bool chunked_ = false;
  bool bodyless_ = false;
  bool close_ = false;
  bool broken_ = false;
  bool continue_wanted_ = false;
  std::string head_;  // kept for its memory
};

}  // namespace atl::http
