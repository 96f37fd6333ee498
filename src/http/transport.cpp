#include "http/transport.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "async/event.hpp"
#include "http/uri.hpp"
#include "http/wire_stream.hpp"

namespace atl::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
using beast::error_code;

// ---- heads and chunks -----------------------------------------------------------------------

namespace {

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// Takes Beast's calls and keeps what they say; counts what must not come twice.
template <bool IsRequest>
class Parser final : public beast::http::basic_parser<IsRequest> {
 public:
  Parser(Headers* headers, std::size_t max_fields) : headers_(headers), max_fields_(max_fields) {
    this->body_limit(boost::none);  // bodies are streamed; whoever collects one has a limit
    this->header_limit(64 * 1024);  // the caller gives whole heads of a size it allows
    this->eager(false);
  }

  std::string method, target;
  int status = 0;
  int version = 0;
  int hosts = 0, lengths = 0, encodings = 0;
  bool exactly_chunked = false;
  bool too_many_fields = false;
  std::span<char> out;  // where chunks go
  std::size_t made = 0;
  std::uint64_t chunk_left = 0;

 private:
  void on_request_impl(beast::http::verb /*verb*/, beast::string_view name,
                       beast::string_view where, int number, error_code& /*ec*/) override {
    method = view(name);
    target = view(where);
    version = number;
  }
  void on_response_impl(int code, beast::string_view /*reason*/, int number,
                        error_code& /*ec*/) override {
    status = code;
    version = number;
  }
  void on_field_impl(beast::http::field field, beast::string_view name, beast::string_view value,
                     error_code& ec) override {
    if (head_done_) return;  // a trailer: nobody wants it
    using beast::http::field;
    if (field == field::host) ++hosts;
    if (field == field::content_length) ++lengths;
    if (field == field::transfer_encoding) {
      ++encodings;
      exactly_chunked = same_name(view(value), "chunked");
    }
    too_many_fields = headers_->size() >= max_fields_;
    if (too_many_fields) {
      ec = beast::http::error::header_limit;
      return;
    }
    headers_->add(view(name), view(value));
  }
  void on_header_impl(error_code& /*ec*/) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*ec*/) override {}
  std::size_t on_body_impl(beast::string_view body, error_code& /*ec*/) override {
    return body.size();  // never called: only chunks come here
  }
  void on_chunk_header_impl(std::uint64_t size, beast::string_view /*extensions*/,
                            error_code& /*ec*/) override {
    chunk_left = size;
  }
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, beast::string_view body,
                                 error_code& ec) override {
    std::size_t size = std::min(body.size(), out.size() - made);
    std::memcpy(out.data() + made, body.data(), size);
    made += size;
    chunk_left -= size;
    if (size < body.size()) ec = beast::http::error::need_buffer;
    return size;
  }
  void on_finish_impl(error_code& /*ec*/) override {}

  Headers* headers_;
  std::size_t max_fields_;
  bool head_done_ = false;
};

template <bool IsRequest>
Result<MessageParser::Step> read_chunks_by(Parser<IsRequest>& parser, std::string_view in,
                                           std::span<char> out) {
  MessageParser::Step step;
  parser.out = out;
  parser.made = 0;
  while (!parser.is_done()) {
    // No rest of a body is shorter than its last chunk, and Beast asserts that it gets that much.
    constexpr std::size_t kLeast = std::string_view("0\r\n\r\n").size();
    if (parser.chunk_left == 0 && in.size() - step.used < kLeast) break;
    error_code ec;
    std::size_t used = parser.put({in.data() + step.used, in.size() - step.used}, ec);
    step.used += used;
    if (ec == beast::http::error::need_more || ec == beast::http::error::need_buffer) break;
    if (ec) return fail(Code::kInvalidArgument, "the chunks of the body are malformed");
    if (used == 0) break;
  }
  step.made = parser.made;
  step.done = parser.is_done();
  return step;
}

}  // namespace

struct MessageParser::Impl {
  std::optional<Parser<true>> request;
  std::optional<Parser<false>> response;
};

MessageParser::MessageParser(std::size_t max_fields)
    : impl_(std::make_unique<Impl>()), max_fields_(max_fields) {}
MessageParser::~MessageParser() = default;

std::expected<void, BadHead> MessageParser::parse_request(std::string_view head, Request& into) {
  auto refuse = [](int status, const char* why) { return std::unexpected(BadHead(status, why)); };
  into.query.clear();
  into.headers.clear();
  // Beast unfolds such lines; others before us may read them as fields of their own.
  if (head.contains("\r\n ") || head.contains("\r\n\t")) return refuse(400, "a field is folded");
  Parser<true>& parser = impl_->request.emplace(&into.headers, max_fields_);
  error_code ec;
  std::size_t used = parser.put({head.data(), head.size()}, ec);
  http11_ = parser.version == 11;
  if (parser.too_many_fields) return refuse(431, "too many header fields");
  if (ec == beast::http::error::bad_version) return refuse(505, "only HTTP/1.0 and HTTP/1.1");
  if (ec || used != head.size() || !parser.is_header_done()) {
    return refuse(400, "the head of the request is malformed");
  }
  if (parser.hosts > 1 || (http11_ && parser.hosts != 1)) {
    return refuse(400, "there must be exactly one Host field");
  }
  if (parser.lengths > 1 || into.headers.get("content-length").contains(',')) {
    return refuse(400, "there is more than one Content-Length");
  }
  if (parser.encodings > 0) {
    if (parser.encodings > 1 || !parser.exactly_chunked || !http11_ || parser.lengths > 0) {
      return refuse(400, "the Transfer-Encoding must be exactly chunked");
    }
  }
  std::optional<Method> method = method_from_name(parser.method);
  if (!method) return refuse(501, "the method is not known");
  into.method = *method;
  if (!split_target(parser.target, into)) return refuse(400, "the target is malformed");
  keep_alive_ = parser.keep_alive();
  length_ = parser.content_length().value_or(0);
  framing_ = parser.chunked() ? Framing::kChunked : length_ > 0 ? Framing::kLength : Framing::kNone;
  return {};
}

Result<void> MessageParser::parse_response(std::string_view head, bool bodyless, int& status,
                                           Headers& into) {
  into.clear();
  Parser<false>& parser = impl_->response.emplace(&into, max_fields_);
  parser.skip(bodyless);
  error_code ec;
  std::size_t used = parser.put({head.data(), head.size()}, ec);
  http11_ = parser.version == 11;
  bool mixed = parser.lengths > 1 || into.get("content-length").contains(',') ||
               (parser.encodings > 0 && (!parser.exactly_chunked || parser.encodings > 1 ||
                                         !http11_ || parser.lengths > 0));
  if (ec || used != head.size() || !parser.is_header_done() || mixed) {
    return fail(Code::kProtocol, "the head of the response is malformed");
  }
  status = parser.status;
  keep_alive_ = parser.keep_alive();
  length_ = parser.content_length().value_or(0);
  if (parser.is_done()) {
    framing_ = Framing::kNone;
  } else if (parser.chunked()) {
    framing_ = Framing::kChunked;
  } else {
    framing_ = parser.lengths > 0 ? Framing::kLength : Framing::kUntilClose;
  }
  return {};
}

Result<MessageParser::Step> MessageParser::read_chunks(std::string_view in, std::span<char> out) {
  if (impl_->response) return read_chunks_by(*impl_->response, in, out);
  return read_chunks_by(*impl_->request, in, out);
}

// ---- WebSockets -------------------------------------------------------------------------------

namespace {

using Socket = beast::websocket::stream<WireStream, false>;

struct SocketState {
  SocketState(async::Executor executor, std::shared_ptr<Wire> over, std::string early)
      : wire(over), socket(std::move(executor), std::move(over), std::move(early)) {}

  std::shared_ptr<Wire> wire;
  Socket socket;
  bool writing = false, reading = false, closed = false;
  async::Event written;
};

Error lost(const char* what, const error_code& ec) {
  if (ec == beast::websocket::error::message_too_big ||
      ec == beast::websocket::error::buffer_overflow) {
    return {Code::kTooLarge, "the WebSocket message is too large"};
  }
  if (ec == asio::error::operation_aborted) return {Code::kCancelled, "the WebSocket was cut"};
  if (ec.category() ==
          beast::websocket::make_error_code(beast::websocket::error::closed).category() &&
      ec != beast::websocket::error::closed) {
    return {Code::kProtocol, std::string("WebSocket: ") + ec.message()};
  }
  return {Code::kIo, std::string("WebSocket: ") + what + " failed"};
}

void configure(Socket& socket, const WebSocketOptions& options, beast::role_type role) {
  auto timeout = beast::websocket::stream_base::timeout::suggested(role);
  timeout.idle_timeout = options.idle_timeout;
  timeout.keep_alive_pings = true;
  socket.set_option(timeout);
  socket.read_message_max(options.max_message);
  socket.auto_fragment(false);
  socket.write_buffer_bytes(64 * 1024);
}

Task<Result<WebSocketMessage>> read_from(std::shared_ptr<SocketState> state) {
  WebSocketMessage message;
  auto buffer = asio::dynamic_buffer(message.data);
  error_code ec;
  state->reading = true;
  co_await state->socket.async_read(buffer, asio::redirect_error(asio::use_awaitable, ec));
  state->reading = false;
  if (ec == beast::websocket::error::closed) {
    state->closed = true;
    message.kind = WebSocketMessage::Kind::kClose;
    message.close_code = state->socket.reason().code;
    if (message.close_code == 0) message.close_code = beast::websocket::close_code::no_status;
    message.data.assign(state->socket.reason().reason.data(), state->socket.reason().reason.size());
    co_return message;
  }
  if (ec) co_return fail(lost("read", ec));
  message.kind =
      state->socket.got_text() ? WebSocketMessage::Kind::kText : WebSocketMessage::Kind::kBinary;
  co_return message;
}

struct WritingDone {
  SocketState* state;
  ~WritingDone() {
    state->writing = false;
    state->written.notify_all();
  }
};

Task<Result<void>> write_to(std::shared_ptr<SocketState> state, std::string_view bytes, bool text) {
  while (state->writing) co_await state->written.wait();
  state->writing = true;
  WritingDone done{state.get()};
  state->socket.text(text);
  error_code ec;
  co_await state->socket.async_write(asio::const_buffer(bytes.data(), bytes.size()),
                                     asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return fail(lost("write", ec));
  co_return Result<void>();
}

Task<Result<void>> close_it(std::shared_ptr<SocketState> state, std::uint16_t code,
                            std::string reason) {
  if (state->closed) co_return Result<void>();
  while (state->writing) co_await state->written.wait();
  state->writing = true;
  WritingDone done{state.get()};
  beast::websocket::close_reason why(static_cast<beast::websocket::close_code>(code),
                                     beast::string_view(reason).substr(0, 123));
  error_code ec;
  co_await state->socket.async_close(why, asio::redirect_error(asio::use_awaitable, ec));
  if (ec && ec != asio::error::operation_aborted) co_return fail(lost("close", ec));
  state->closed = true;
  co_return Result<void>();
}

class BeastWebSocket final : public WebSocket {
 public:
  explicit BeastWebSocket(std::shared_ptr<SocketState> state) : state_(std::move(state)) {}
  ~BeastWebSocket() override {
    if (state_->reading || state_->writing) state_->wire->expire();
  }

  Task<Result<WebSocketMessage>> read() override { return read_from(state_); }
  Task<Result<void>> write_text(std::string_view text) override {
    return write_to(state_, text, true);
  }
  Task<Result<void>> write_binary(std::string_view bytes) override {
    return write_to(state_, bytes, false);
  }
  Task<Result<void>> close(std::uint16_t code, std::string reason) override {
    return close_it(state_, code, std::move(reason));
  }
  void cut() override { state_->wire->expire(); }

 private:
  std::shared_ptr<SocketState> state_;
};

}  // namespace

Task<Result<std::unique_ptr<WebSocket>>> accept_websocket(std::shared_ptr<Wire> wire,
                                                          std::string early, Request request,
                                                          WebSocketOptions options) {
  async::Executor executor = co_await asio::this_coro::executor;
  wire->set_times({}, {});
  auto state = std::make_shared<SocketState>(executor, std::move(wire), std::move(early));
  configure(state->socket, options, beast::role_type::server);
  state->socket.set_option(beast::websocket::stream_base::decorator(
      [&options](beast::websocket::response_type& response) {
        response.set(beast::http::field::server, "atoll");  // Beast would say its own name
        for (const Headers::Field& field : options.headers)
          response.insert(field.name, field.value);
        if (!options.subprotocol.empty()) {
          response.set(beast::http::field::sec_websocket_protocol, options.subprotocol);
        }
      }));
  beast::http::request<beast::http::empty_body> handshake;
  handshake.version(11);
  handshake.method_string(std::string(method_name(request.method)));
  handshake.target(request.target);
  for (const Headers::Field& field : request.headers) handshake.insert(field.name, field.value);
  error_code ec;
  co_await state->socket.async_accept(handshake, asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return fail(lost("handshake", ec));
  co_return std::make_unique<BeastWebSocket>(std::move(state));
}

Task<Result<std::unique_ptr<WebSocket>>> connect_websocket(std::shared_ptr<Wire> wire,
                                                           std::string host, std::string target,
                                                           WebSocketOptions options) {
  async::Executor executor = co_await asio::this_coro::executor;
  auto state = std::make_shared<SocketState>(executor, std::move(wire), std::string());
  configure(state->socket, options, beast::role_type::client);
  state->socket.set_option(
      beast::websocket::stream_base::decorator([&options](beast::websocket::request_type& request) {
        request.set(beast::http::field::user_agent, "atoll");
        for (const Headers::Field& field : options.headers) request.insert(field.name, field.value);
        if (!options.subprotocol.empty()) {
          request.set(beast::http::field::sec_websocket_protocol, options.subprotocol);
        }
      }));
  beast::websocket::response_type response;
  error_code ec;
  co_await state->socket.async_handshake(response, host, target,
                                         asio::redirect_error(asio::use_awaitable, ec));
  if (ec == beast::websocket::error::upgrade_declined) {
    co_return fail(Code::kBackend, "the server does not switch to WebSocket: status " +
                                       std::to_string(response.result_int()));
  }
  if (ec) co_return fail(lost("handshake", ec));
  co_return std::make_unique<BeastWebSocket>(std::move(state));
}

}  // namespace atl::http
