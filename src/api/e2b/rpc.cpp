#include "api/e2b/rpc.hpp"

#include <algorithm>

#include "api/common/text.hpp"
#include "api/e2b/sandbox_request.hpp"
#include "codec/base64.hpp"

namespace atl::api::e2b {

namespace {

constexpr std::chrono::milliseconds kStep{500};
constexpr std::uint64_t kLongestTimeout = 10ull * 365 * 24 * 3600 * 1000;  // ms
constexpr std::uint64_t kLongestKeepalive = 3600;
constexpr std::uint64_t kKeepalive = 90;

Answer<Framing> framing_of_call(const http::Request& request, bool stream) {
  std::optional<Framing> framing = framing_of(request.headers.get("content-type"));
  if (!framing || framing->stream != stream) {
    return refuse(415, "unsupported_media_type",
                  stream ? "this call takes application/connect+json or application/connect+proto"
                         : "this call takes application/json or application/proto");
  }
  std::string_view encoding =
      request.headers.get(stream ? "connect-content-encoding" : "content-encoding");
  if (!encoding.empty() && encoding != "identity") {
    return refuse(Code::kUnsupported, "compressed messages are not supported: send identity");
  }
  return *framing;
}

Task<Answer<object>> read_unary(Call call, Codec codec, const MessageType* in) {
  ATOLL_CO_TRY(std::string body, co_await call.exchange->read_body(kMaxMessage));
  ATOLL_CO_TRY(object message, decode_message(codec, *in, body));
  co_return message;
}

// Exactly one message.
Task<Answer<object>> read_first(Call call, Codec codec, const MessageType* in) {
  ATOLL_CO_TRY(std::string body, co_await call.exchange->read_body(kMaxMessage + kEnvelopeHead));
  EnvelopeReader reader;
  reader.feed(body);
  ATOLL_CO_TRY(std::optional<Envelope> first, reader.next());
  if (!first || !reader.empty() || first->flags != 0) {
    co_return refuse(Code::kInvalidArgument, "the body must be exactly one message");
  }
  ATOLL_CO_TRY(object message, decode_message(codec, *in, first->data));
  co_return message;
}

Task<Answer<void>> run_stream(Call call, Framing framing, const MessageType* in,
                              StreamCall function, StreamOut* out) {
  ATOLL_CO_TRY(object message, co_await read_first(call, framing.codec, in));
  co_return co_await function(std::move(call), std::move(message), out);
}

}  // namespace

Task<Result<void>> StreamOut::write(std::uint8_t flags, std::string data) {
  if (!begun_) {
    begun_ = true;
    http::Headers headers{{"Content-Type", framing_.content_type()}};
    ATOLL_CO_CHECK(co_await exchange_.begin(200, std::move(headers)));
  }
  std::string bytes = envelope(flags, data);
  co_return co_await exchange_.write(bytes);
}

Task<Result<void>> StreamOut::send(object message) {
  return write(0, encode_message(framing_.codec, type_, message));
}

Task<Result<void>> StreamOut::finish(std::optional<object> error) {
  object end;
  if (error) end["error"] = std::move(*error);
  ATOLL_CO_CHECK(co_await write(kEndOfStream, codec::serialize(end)));
  co_return co_await exchange_.finish();
}

object stream_error(const Call& call, Refusal refusal) {
  refusal = reason_of(call, std::move(refusal));
  object error = connect_error(refusal.error);
  if (refusal.status == 502) error["code"] = "unavailable";
  error["message"] = message_of(refusal);
  return error;
}

Task<Answer<http::Response>> answer_unary(Call call, const MessageType* in, const MessageType* out,
                                          UnaryCall function) {
  ATOLL_CO_TRY(Framing framing, framing_of_call(call.request(), false));
  ATOLL_CO_TRY(object message, co_await read_unary(call, framing.codec, in));
  ATOLL_CO_TRY(object answer, co_await function(std::move(call), std::move(message)));
  http::Response response{.status = 200};
  response.headers.add("Content-Type", framing.content_type());
  response.body = encode_message(framing.codec, *out, answer);
  co_return response;
}

Task<Answer<void>> answer_stream(Call call, const MessageType* in, const MessageType* out,
                                 StreamCall function) {
  ATOLL_CO_TRY(Framing framing, framing_of_call(call.request(), true));
  StreamOut stream(*call.exchange, framing, *out);
  Answer<void> done = co_await run_stream(call, framing, in, function, &stream);
  std::optional<object> error;
  if (!done) error = stream_error(call, std::move(done).error());
  (void)co_await stream.finish(std::move(error));
  co_return Answer<void>();  // an Error was a client that went away
}

Answer<std::optional<std::chrono::milliseconds>> timeout_of(const http::Request& request) {
  auto text = request.headers.find("connect-timeout-ms");
  if (!text) return std::nullopt;
  // The Python SDK 2.7 writes 500.0 where its caller said 0.5 seconds.
  std::string_view whole = trim(*text);
  std::size_t dot = std::min(whole.find('.'), whole.size());
  std::string_view part = whole.substr(std::min(dot + 1, whole.size()));
  bool digits = part.find_first_not_of("0123456789") == part.npos;
  auto number = to_number(whole.substr(0, dot));
  if (!number || *number > kLongestTimeout || !digits || (dot < whole.size() && part.empty())) {
    return refuse(Code::kInvalidArgument, "Connect-Timeout-Ms must be a number of milliseconds");
  }
  if (*number == 0 && part.find_first_not_of('0') != part.npos) number = 1;
  if (*number == 0) return std::nullopt;
  return std::chrono::milliseconds(*number);
}

std::chrono::seconds keepalive_of(const http::Request& request) {
  auto number = to_number(trim(request.headers.get("keepalive-ping-interval")));
  std::uint64_t seconds = number.value_or(kKeepalive);
  return std::chrono::seconds(std::clamp<std::uint64_t>(seconds, 1, kLongestKeepalive));
}

Answer<void> check_user(std::string_view name) {
  if (name.empty() || name == "user") return {};
  return refuse(Code::kUnauthenticated,
                "sandboxes of this server have the user `user` alone, no `" +
                    std::string(name.substr(0, 64)) + "`");
}

Answer<void> check_user(const http::Request& request) {
  constexpr std::string_view kBasic = "Basic ";
  std::string_view field = request.headers.get("authorization");
  if (!field.starts_with(kBasic)) return {};
  std::optional<std::string> pair = codec::from_base64(trim(field.substr(kBasic.size())));
  if (!pair) return refuse(Code::kUnauthenticated, "Authorization is not base64");
  return check_user(pair->substr(0, pair->find(':')));
}

StreamClock::StreamClock(const Call& call, std::optional<std::chrono::milliseconds> limit)
    : e2b_(*call.e2b),
      keepalive_(keepalive_of(call.request())),
      spoken_(std::chrono::steady_clock::now()),
      end_(limit ? async::deadline_in(*limit) : async::kNoDeadline) {}

async::Deadline StreamClock::next() const { return std::min(end_, async::deadline_in(kStep)); }

StreamClock::Beat StreamClock::beat() {
  auto now = std::chrono::steady_clock::now();
  if (now >= end_) return Beat::kTimeUp;
  if (e2b_.options.draining && e2b_.options.draining()) return Beat::kDraining;
  if (now - spoken_ < keepalive_) return Beat::kNothing;
  spoken_ = now;
  return Beat::kKeepAlive;
}

void StreamClock::said_something() { spoken_ = std::chrono::steady_clock::now(); }

void add_rpc(Routes& routes) {
  add_process(routes);
  add_process_input(routes);
  add_filesystem(routes);
  add_watch(routes);
}

}  // namespace atl::api::e2b
