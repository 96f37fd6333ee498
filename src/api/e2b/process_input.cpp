// What clients say to a process that runs: input, its end, a signal, the size of its terminal.
#include <csignal>
#include <span>
#include <utility>

#include "api/common/limits.hpp"
#include "api/e2b/process.hpp"
#include "api/e2b/rpc.hpp"
#include "codec/base64.hpp"

namespace atl::api::e2b {

namespace {

Task<Answer<Selected>> running(Call call, const object* message) {
  ATOLL_CO_TRY(Selected process, co_await select_process(call, message));
  if (!process.running) {
    co_return refuse(Code::kNotFound,
                     "process with pid " + std::to_string(process.pid) + " not found");
  }
  co_return process;
}

// A process may end before it is reached.
Answer<void> unless_ended(const Result<void>& done) {
  if (done) return {};
  if (done.error().code() != Code::kConflict) return std::unexpected<Refusal>(done.error());
  return refuse(Code::kNotFound, done.error().message());
}

Answer<std::string> bytes_of(const object& message) {
  const object* input = object_member(message, "input");
  if (input == nullptr) return refuse(Code::kInvalidArgument, "input is required");
  for (std::string_view name : {"stdin", "pty"}) {
    ATOLL_TRY(std::optional<std::string> text, text_member(*input, name, 2 * kMaxMessage));
    if (!text) continue;
    std::optional<std::string> bytes = codec::from_base64(*text);
    if (!bytes) return refuse(Code::kInvalidArgument, "input must be base64");
    return std::move(*bytes);
  }
  return std::string();
}

Task<Answer<object>> send_input(Call call, object message) {
  ATOLL_CO_TRY(Selected process, co_await running(call, &message));
  ATOLL_CO_TRY(std::string bytes, bytes_of(message));
  ATOLL_CO_CHECK(unless_ended(co_await call.control().executions().write_stdin(
      call.caller, process.id, std::move(bytes), false)));
  co_return object();
}

Task<Answer<object>> close_stdin(Call call, object message) {
  ATOLL_CO_TRY(Selected process, co_await running(call, &message));
  if (process.terminal) {
    co_return refuse(Code::kInvalidArgument, "a terminal has no stdin to close: send Ctrl-D");
  }
  ATOLL_CO_CHECK(unless_ended(
      co_await call.control().executions().write_stdin(call.caller, process.id, "", true)));
  co_return object();
}

Answer<int> signal_of(const object& message) {
  const value* signal = message.if_contains("signal");
  if (signal != nullptr && signal->is_string()) {
    std::string_view name(signal->get_string().data(), signal->get_string().size());
    for (const EnumValue& one : kSignals) {
      if (one.name == name && one.number != 0) return static_cast<int>(one.number);
    }
  } else if (signal != nullptr) {
    ATOLL_TRY(std::optional<std::uint64_t> number, number_member(message, "signal", 1, 64));
    for (const EnumValue& one : kSignals) {
      if (number && one.number == *number) return static_cast<int>(*number);
    }
  }
  return refuse(Code::kInvalidArgument, "signal must be SIGNAL_SIGTERM or SIGNAL_SIGKILL");
}

Task<Answer<object>> send_signal(Call call, object message) {
  ATOLL_CO_TRY(Selected process, co_await running(call, &message));
  ATOLL_CO_TRY(int number, signal_of(message));
  ATOLL_CO_CHECK(
      unless_ended(co_await call.control().executions().signal(call.caller, process.id, number)));
  co_return object();
}

Task<Answer<object>> update(Call call, object message) {
  ATOLL_CO_TRY(Selected process, co_await running(call, &message));
  ATOLL_CO_TRY(std::optional<control::TerminalSize> size, size_of(message));
  if (size) {
    ATOLL_CO_CHECK(co_await call.control().executions().resize(call.caller, process.id, *size));
  }
  co_return object();
}

// One message of a stream of input. The first one says for which process.
Task<Answer<void>> take_input(Call call, object message, std::optional<Selected>* process) {
  if (const object* start = object_member(message, "start")) {
    ATOLL_CO_TRY(*process, co_await running(call, start));
    co_return Answer<void>();
  }
  const object* data = object_member(message, "data");
  if (data == nullptr) co_return Answer<void>();
  if (!*process) co_return refuse(Code::kInvalidArgument, "the first message must be `start`");
  ATOLL_CO_TRY(std::string bytes, bytes_of(*data));
  ATOLL_CO_CHECK(unless_ended(co_await call.control().executions().write_stdin(
      call.caller, (*process)->id, std::move(bytes), false)));
  co_return Answer<void>();
}

Task<Answer<void>> take_stream(Call call, Codec codec) {
  EnvelopeReader reader;
  std::optional<Selected> process;
  std::string buffer(kChunk, '\0');
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await call.exchange->read_some(std::span(buffer)));
    if (got == 0) break;
    reader.feed(std::string_view(buffer).substr(0, got));
    for (;;) {
      ATOLL_CO_TRY(std::optional<Envelope> one, reader.next());
      if (!one) break;
      ATOLL_CO_TRY(object message, decode_message(codec, kStreamInputRequest, one->data));
      ATOLL_CO_CHECK(co_await take_input(call, std::move(message), &process));
    }
  }
  if (!reader.empty()) co_return refuse(Code::kInvalidArgument, "the last message is cut");
  co_return Answer<void>();
}

Task<Answer<void>> stream_input(Call call) {
  std::optional<Framing> framing = framing_of(call.request().headers.get("content-type"));
  if (!framing || !framing->stream) {
    co_return refuse(415, "unsupported_media_type",
                     "this call takes application/connect+json or application/connect+proto");
  }
  StreamOut out(*call.exchange, *framing, kEmptyMessage);
  Answer<void> taken = co_await take_stream(call, framing->codec);
  std::optional<object> error;
  if (!taken) error = stream_error(call, std::move(taken).error());
  if (!error && !co_await out.send({})) co_return Answer<void>();
  (void)co_await out.finish(std::move(error));
  co_return Answer<void>();
}

}  // namespace

void add_process_input(Routes& routes) {
  const std::string service = "/process.Process/";
  routes.add(Method::kPost, service + "SendInput", "e2bProcessSendInput", Access::kWriter,
             unary<kSendInputRequest, kEmptyMessage, send_input>);
  routes.add(Method::kPost, service + "CloseStdin", "e2bProcessCloseStdin", Access::kWriter,
             unary<kSelectRequest, kEmptyMessage, close_stdin>);
  routes.add(Method::kPost, service + "SendSignal", "e2bProcessSendSignal", Access::kWriter,
             unary<kSendSignalRequest, kEmptyMessage, send_signal>);
  routes.add(Method::kPost, service + "Update", "e2bProcessUpdate", Access::kWriter,
             unary<kUpdateRequest, kEmptyMessage, update>);
  routes.add(Method::kPost, service + "StreamInput", "e2bProcessStreamInput", Access::kWriter,
             stream_input);
}

}  // namespace atl::api::e2b
