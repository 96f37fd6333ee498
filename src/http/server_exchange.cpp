#include "http/server_exchange.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "http/wire_raw_stream.hpp"

namespace atl::http {

namespace {

iovec piece(std::string_view bytes) {
  return {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
}

std::unexpected<Error> fail_misuse(const char* why) { return fail(Code::kInternal, why); }

}  // namespace

ServerExchange::ServerExchange(std::shared_ptr<ServerCore> core, std::shared_ptr<Wire> wire)
    : core_(std::move(core)),
      wire_(std::move(wire)),
      parser_(core_->options.limits.header_fields),
      body_(*wire_, inbox_, parser_) {}

ServerExchange::~ServerExchange() { core_->gone->unwatch(wire_->fd(), gone_); }

std::expected<void, BadHead> ServerExchange::take_head(std::string_view head) {
  request_.captures.clear();
  request_.raw_rest.clear();
  request_.route.clear();
  request_.id.clear();
  answer_headers_.clear();
  attachment_.reset();
  state_ = State::kOpen;
  status_ = 0;
  sent_ = 0;
  left_.reset();
  chunked_ = bodyless_ = close_ = broken_ = continue_wanted_ = false;
  if (auto parsed = parser_.parse_request(head, request_); !parsed) {
    close_ = true;
    return parsed;
  }
  body_.begin();
  if (auto expect = request_.headers.find("expect")) {
    if (!same_name(*expect, "100-continue"))
      return std::unexpected(BadHead(417, "only 100-continue"));
    continue_wanted_ = parser_.is_http11() && !body_.done();
  }
  return {};
}

Task<Result<void>> ServerExchange::send(std::span<iovec> buffers) {
  if (broken_) co_return fail(Code::kIo, "the client is gone");
  Result<bool> done = wire_->try_write_all(buffers);
  Result<void> sent;
  if (!done) {
    sent = fail(std::move(done).error());
  } else if (!*done) {
    sent = co_await wire_->write_all(buffers);
  } else if (wire_->is_greedy()) {
    co_await wire_->breathe();
  }
  broken_ = !sent;
  co_return sent;
}

Task<Result<void>> ServerExchange::say_continue() {
  if (!std::exchange(continue_wanted_, false) || answered() || !inbox_.empty()) {
    co_return Result<void>();
  }
  std::array<iovec, 1> line{piece("HTTP/1.1 100 Continue\r\n\r\n")};
  co_return co_await send(line);
}

namespace {

// A client that closed only its sending half hears whose fault it was.
template <typename T>
Result<T> as_sent(Result<T> read) {
  if (read || read.error().code() != Code::kIo) return read;
  return fail(Code::kInvalidArgument, "the body ended before it was whole");
}

}  // namespace

Task<Result<std::string>> ServerExchange::read_body(std::size_t limit) {
  if (parser_.framing() == Framing::kLength && parser_.length() > limit) {
    co_return co_await body_.read_all(limit);  // refuses without asking for it
  }
  if (continue_wanted_) ATOLL_CO_CHECK(co_await say_continue());
  Result<std::string> body = co_await body_.read_all(limit);
  co_return as_sent(std::move(body));
}

Task<Result<std::size_t>> ServerExchange::read_some(std::span<char> into) {
  if (continue_wanted_) ATOLL_CO_CHECK(co_await say_continue());
  Result<std::size_t> got = co_await body_.read_some(into);
  co_return as_sent(std::move(got));
}

bool ServerExchange::is_bodyless(int status) const {
  return request_.method == Method::kHead || status == 204 || status == 304 || status < 200;
}

void ServerExchange::start_head(int status, const Headers& headers,
                                std::optional<std::uint64_t> length, bool chunked) {
  status_ = status;
  bodyless_ = is_bodyless(status);
  // A client that was never told to go on may or may not send its body: nobody can tell.
  close_ = close_ || !parser_.keep_alive() || core_->draining || continue_wanted_;
  bool wordless = status == 204 || status == 304 || status < 200;
  ResponseHead head{.status = status, .headers = &headers, .more = &answer_headers_};
  if (!wordless) {
    head.length = length;
    head.chunked = chunked;
  }
  if (close_) {
    head.persistence = Persistence::kClose;
  } else if (!parser_.is_http11()) {
    head.persistence = Persistence::kKeepAlive;
  }
  head_.clear();
  append_head(head_, head);
}

Task<Result<void>> ServerExchange::respond(Response response) {
  if (answered()) co_return fail_misuse("the request was answered already");
  start_head(response.status, response.headers, response.body.size(), false);
  state_ = State::kDone;
  std::array<iovec, 2> pieces{piece(head_), piece(response.body)};
  if (!bodyless_) sent_ = response.body.size();
  co_return co_await send(std::span(pieces).first(bodyless_ ? 1 : 2));
}

Task<Result<void>> ServerExchange::begin(int status, Headers headers,
                                         std::optional<std::uint64_t> length) {
  if (answered()) co_return fail_misuse("the request was answered already");
  chunked_ = !length && parser_.is_http11();
  if (!length && !chunked_) close_ = true;  // HTTP/1.0: the end is the end of the connection
  start_head(status, headers, length, chunked_);
  left_ = length;
  state_ = State::kStreaming;
  std::array<iovec, 1> pieces{piece(head_)};
  co_return co_await send(pieces);
}

Task<Result<void>> ServerExchange::write(std::string_view bytes) {
  if (state_ != State::kStreaming) co_return fail_misuse("write() without begin()");
  if (left_ && bytes.size() > *left_) {
    broken_ = true;
    co_return fail_misuse("more was written than was announced");
  }
  if (left_) *left_ -= bytes.size();
  // An empty chunk would end the answer.
  if (bytes.empty() || bodyless_) co_return Result<void>();
  sent_ += bytes.size();
  std::array<iovec, 3> pieces{piece({}), piece(bytes), piece({})};
  std::array<char, 20> size;
  if (chunked_) {
    char* end = std::to_chars(size.data(), size.data() + 16, bytes.size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    pieces[0] = piece({size.data(), end});
    pieces[2] = piece("\r\n");
  }
  co_return co_await send(pieces);
}

Task<Result<void>> ServerExchange::finish() {
  if (state_ != State::kStreaming) co_return fail_misuse("finish() without begin()");
  if (left_ && *left_ > 0 && !bodyless_) {
    broken_ = true;
    co_return fail_misuse("less was written than was announced");
  }
  state_ = State::kDone;
  if (!chunked_ || bodyless_)
    co_return broken_ ? fail(Code::kIo, "the client is gone") : Result<void>();
  std::array<iovec, 1> pieces{piece("0\r\n\r\n")};
  co_return co_await send(pieces);
}

Task<void> ServerExchange::client_gone() {
  core_->gone->watch(wire_->fd(), gone_);
  while (!gone_.gone) co_await gone_.changed.wait();
}

std::string ServerExchange::take_early() {
  std::string early(inbox_.view());
  inbox_.consume(early.size());
  return early;
}

void ServerExchange::cut() {
  broken_ = true;
  (void)::shutdown(wire_->fd().get(), SHUT_RDWR);  // readers and writers see it, Beast's too
}

Task<Result<std::unique_ptr<WebSocket>>> ServerExchange::upgrade(WebSocketOptions options) {
  if (answered()) co_return fail_misuse("the request was answered already");
  bool asked = request_.method == Method::kGet && parser_.is_http11() && body_.done() &&
               request_.headers.has_token("connection", "upgrade") &&
               request_.headers.has_token("upgrade", "websocket") &&
               request_.headers.get("sec-websocket-version") == "13" &&
               request_.headers.count("sec-websocket-key") == 1;
  if (!asked) co_return fail(Code::kInvalidArgument, "not a WebSocket handshake");
  for (const Headers::Field& field : answer_headers_) {
    if (!options.headers.has(field.name)) options.headers.add(field.name, field.value);
  }
  state_ = State::kSwitched;
  status_ = 101;
  co_return co_await accept_websocket(wire_, take_early(), request_, std::move(options));
}

Task<Result<std::unique_ptr<RawStream>>> ServerExchange::switch_protocols(Headers headers) {
  if (answered()) co_return fail_misuse("the request was answered already");
  status_ = 101;
  head_ = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n";
  append_fields(head_, headers);
  head_ += "\r\n";
  state_ = State::kSwitched;
  std::array<iovec, 1> pieces{piece(head_)};
  ATOLL_CO_CHECK(co_await send(pieces));
  co_return std::make_unique<WireRawStream>(wire_, take_early());
}

}  // namespace atl::http
