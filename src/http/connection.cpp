#include "http/connection.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "http/listener.hpp"
#include "http/problem.hpp"
#include "observe/log.hpp"

namespace atl::http {

namespace {

std::size_t find_head_end(std::string_view bytes, std::size_t from) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  if (bytes.size() < from) return std::string_view::npos;
  const void* at = ::memmem(bytes.data() + from, bytes.size() - from, kEnd.data(), kEnd.size());
  if (at == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data()) + kEnd.size();
}

std::string_view code_for(int status) {
  switch (status) {
    case 408: return code_name(Code::kTransferTimeout);
    case 417:
    case 501:
    case 505: return code_name(Code::kUnsupported);
    case 431: return code_name(Code::kTooLarge);
    default: return code_name(Code::kInvalidArgument);
  }
}

std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace

Connection::Connection(std::shared_ptr<ServerCore> core, UniqueFd fd, std::optional<TlsContext> tls)
    : core_(std::move(core)),
      wire_(std::make_shared<Wire>(core_->executor, std::move(fd), core_->watchdog)),
      tls_(std::move(tls)),
      exchange_(core_, wire_) {
  exchange_.request().peer = peer_name(wire_->fd());
  exchange_.request().tls = tls_.has_value();
}

Task<void> Connection::run(std::shared_ptr<Connection> self) { co_await self->serve(); }

Task<void> Connection::serve() {
  const ServerLimits& limits = core_->options.limits;
  if (tls_) {
    wire_->set_read_deadline(async::deadline_in(limits.header_time));
    Result<void> done = co_await wire_->start_tls(*tls_, {});
    if (!done) co_return;
    wire_->set_read_deadline(async::kNoDeadline);
  }
  for (;;) {
    std::optional<std::size_t> size = co_await read_head();
    if (!size) co_return;
    auto head = exchange_.take_head(exchange_.inbox().view().substr(0, *size));
    exchange_.inbox().consume(*size);
    wire_->set_times(limits.body_time, limits.body_time);
    if (!head) {
      co_await refuse(head.error().status, head.error().why);
      co_return;
    }
    co_await handle();
    if (exchange_.has_left_http() || !exchange_.is_whole()) co_return;
    if (!exchange_.may_go_on()) {
      if (!exchange_.body().done()) co_await linger();
      co_return;
    }
    if (!exchange_.body().done()) {
      bool dropped = co_await drop_unread_body();
      if (!dropped) {
        co_await linger();
        co_return;
      }
    }
    if (core_->draining) co_return;
  }
}

Task<std::optional<std::size_t>> Connection::read_head() {
  const ServerLimits& limits = core_->options.limits;
  const std::size_t most = std::min(limits.header_bytes, Inbox::kMost - 16 * 1024);
  Inbox& inbox = exchange_.inbox();
  inbox.shrink();
  bool begun = false;
  std::size_t scanned = 0;
  wire_->set_times(std::exchange(first_, false) ? limits.header_time : limits.idle_time,
                   limits.body_time);
  for (;;) {
    // Empty lines before a request are left over from clients that end their bodies with one.
    while (scanned == 0 && inbox.view().starts_with("\r\n")) inbox.consume(2);
    std::string_view bytes = inbox.view();
    if (!bytes.empty()) {
      std::size_t end = find_head_end(bytes, scanned);
      if (end != std::string_view::npos && end <= most) {
        wire_->set_read_deadline(async::kNoDeadline);
        idle_ = false;
        co_return end;
      }
      if (bytes.size() > most) {
        co_await refuse(431, "the head of the request is too large");
        co_return std::nullopt;
      }
      scanned = bytes.size() < 3 ? 0 : bytes.size() - 3;
      if (!std::exchange(begun, true)) {
        wire_->set_read_deadline(async::deadline_in(limits.header_time));
      }
    }
    idle_ = bytes.empty();
    if (idle_ && core_->draining) co_return std::nullopt;
    Result<std::optional<std::size_t>> got = wire_->try_read(inbox.room());
    if (!got || (*got && **got == 0)) co_return std::nullopt;
    if (*got) {
      inbox.add(**got);
      continue;
    }
    Result<void> ready = co_await wire_->readable();
    if (ready) continue;
    if (wire_->expired() && !inbox.empty()) co_await refuse(408, "the request came too slowly");
    co_return std::nullopt;
  }
}

Task<void> Connection::handle() {
  std::exception_ptr thrown;
  try {
    co_await core_->handler(exchange_);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    auto cancellation = co_await boost::asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != boost::asio::cancellation_type::none) {
      std::rethrow_exception(thrown);
    }
  }
  if (!thrown && exchange_.answered()) co_return;
  const Request& request = exchange_.request();
  log::error("http_handler_failed", log::kv("route", request.route),
             log::kv("request_id", request.id),
             log::kv("error", thrown ? what_of(thrown) : std::string("gave no answer")));
  if (thrown && core_->options.on_error) core_->options.on_error(request, thrown);
  if (exchange_.answered()) co_return;
  Error error(Code::kInternal, "the server failed to handle the request");
  static_cast<void>(co_await exchange_.respond(problem(error, request.id)));
}

Task<bool> Connection::drop_unread_body() {
  std::array<char, 16 * 1024> waste;
  std::size_t dropped = 0;
  while (!exchange_.body().done()) {
    Result<std::size_t> got = co_await exchange_.body().read_some(waste);
    if (!got) co_return false;
    dropped += *got;
    if (dropped > core_->options.limits.unread_body) co_return false;
  }
  co_return true;
}

// For requests that never reach the handler.
Task<void> Connection::refuse(int status, std::string why) {
  Response response = problem(status, code_for(status), why);
  std::string bytes;
  append_head(bytes, {.status = status,
                      .headers = &response.headers,
                      .length = response.body.size(),
                      .persistence = Persistence::kClose});
  bytes += response.body;
  iovec buffer{.iov_base = bytes.data(), .iov_len = bytes.size()};
  // One try: whoever sent this does not deserve to be waited for, and a fresh buffer takes it.
  static_cast<void>(wire_->try_write({&buffer, 1}));
  if (!wire_->expired()) co_await linger();
}

// A close with unread bytes would be a reset, which can destroy the answer before it is read.
Task<void> Connection::linger() {
  wire_->shutdown_write();
  wire_->set_read_deadline(async::deadline_in(core_->options.limits.linger_time));
  std::array<char, 16 * 1024> waste;
  // More than anything that a person sends by mistake and a client sends without looking up.
  for (std::size_t total = 0; total < 128 * 1024 * 1024;) {
    Result<std::size_t> got = co_await wire_->read_some(waste);
    if (!got || *got == 0) co_return;
    total += *got;
  }
}

}  // namespace atl::http
