// GET /sessions/{id}/pty: a terminal over a WebSocket. Binary messages are bytes in both
// directions; text messages are JSON: {"resize":{"rows":R,"cols":C}} from the client, {"exit":{…}}
// at the end.
#include <csignal>
#include <memory>
#include <utility>

#include <boost/describe/class.hpp>

#include "api/box_path.hpp"
#include "api/limits.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest {

namespace {

struct ResizeBody {
  std::uint16_t rows = 0;
  std::uint16_t cols = 0;
};
BOOST_DESCRIBE_STRUCT(ResizeBody, (), (rows, cols))

struct TerminalMessage {
  ResizeBody resize;
};
BOOST_DESCRIBE_STRUCT(TerminalMessage, (), (resize))

constexpr std::chrono::seconds kGrace{2};
constexpr const char* kShell = "command -v bash >/dev/null && exec bash; exec sh";

struct Terminal {
  std::unique_ptr<http::WebSocket> socket;
  std::unique_ptr<sandbox::Process> process;
  bool client_gone = false;
};
using TerminalPtr = std::shared_ptr<Terminal>;

Task<Result<void>> take_message(TerminalPtr terminal, http::WebSocketMessage message) {
  if (message.kind == http::WebSocketMessage::Kind::kBinary) {
    co_return co_await terminal->process->write_stdin(std::move(message.data));
  }
  auto said = codec::decode<TerminalMessage>(message.data);
  if (!said || said->resize.rows == 0 || said->resize.cols == 0) {
    co_return fail(Code::kInvalidArgument,
                   "a text message is {\"resize\":{\"rows\":R,\"cols\":C}}");
  }
  sandbox::TerminalSize size{.rows = said->resize.rows, .cols = said->resize.cols};
  co_return co_await terminal->process->resize(size);
}

// From the client to the program, until the client goes: then the program goes too, as when
// somebody hangs up.
Task<void> read_client(TerminalPtr terminal) {
  for (;;) {
    Result<http::WebSocketMessage> message = co_await terminal->socket->read();
    if (!message || message->kind == http::WebSocketMessage::Kind::kClose) break;
    Result<void> taken = co_await take_message(terminal, std::move(*message));
    if (!taken && taken.error().code() == Code::kInvalidArgument) {
      (void)co_await terminal->socket->close(1003, taken.error().message());
      break;
    }
  }
  terminal->client_gone = true;
  (void)co_await terminal->process->signal(SIGHUP);
  co_await async::sleep_for(kGrace);
  (void)co_await terminal->process->signal(SIGKILL);
}

Task<Result<void>> read_program(TerminalPtr terminal) {
  for (;;) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await terminal->process->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) co_return Result<void>();
    if (terminal->client_gone) continue;  // drained, so that it can end
    Result<void> written = co_await terminal->socket->write_binary(chunk.bytes);
    if (!written) terminal->client_gone = true;
  }
}

Task<void> say_exit(TerminalPtr terminal) {
  Result<sandbox::ExitStatus> status = co_await terminal->process->wait();
  if (!status) {
    (void)co_await terminal->socket->close(1011, status.error().message());
    co_return;
  }
  std::string text = codec::serialize(
      object{{"exit", object{{"exit_code", status->exit_code}, {"signal", status->signal}}}});
  (void)co_await terminal->socket->write_text(text);
  (void)co_await terminal->socket->close(1000, "");
}

Answer<sandbox::ExecRequest> program_of(const Call& call, const control::Use& use) {
  ATOLL_TRY(std::uint64_t rows, query_number(call, "rows", 24, 1, 1000));
  ATOLL_TRY(std::uint64_t cols, query_number(call, "cols", 80, 1, 1000));
  std::string command(call.request().query_value("command"));
  if (command.size() > kMaxCommand || command.find('\0') != command.npos) {
    return refuse(Code::kInvalidArgument, "the command is too long, or has a NUL");
  }
  ATOLL_TRY(std::string cwd,
            box_path(call.request().query_value("cwd"), use.sandbox().workspace()));
  auto request = sandbox::ExecRequest::shell(command.empty() ? kShell : std::move(command));
  request.env = use.session().row.config.environment;
  request.env.emplace("TERM", "xterm-256color");
  request.cwd = std::move(cwd);
  request.stdin_open = true;
  request.terminal = {.rows = static_cast<std::uint16_t>(rows),
                      .cols = static_cast<std::uint16_t>(cols)};
  return request;
}

Task<Answer<void>> open_terminal(Call call) {
  ATOLL_CO_CHECK(require_writer(call));
  ATOLL_CO_CHECK(known_query(call, {"rows", "cols", "command", "cwd"}));
  ATOLL_CO_TRY(control::Use use,
               co_await call.control().sessions().use(call.caller, call.session_id()));
  ATOLL_CO_TRY(sandbox::ExecRequest request, program_of(call, use));
  auto terminal = std::make_shared<Terminal>();
  ATOLL_CO_TRY(terminal->socket,
               co_await call.exchange->upgrade({.max_message = kMaxTerminalMessage}));
  auto spawned = co_await use.sandbox().spawn(std::move(request));
  if (!spawned) {
    (void)co_await terminal->socket->close(1011, spawned.error().message().substr(0, 120));
    co_return Answer<void>();
  }
  terminal->process = std::move(*spawned);
  record(call, model::AuditAction::kTerminalOpened,
         control::program_of(call.request().query_value("command")));
  async::TaskGroup reading(call.rest->options.executor);
  reading.spawn(read_client(terminal));
  Result<void> ended = co_await read_program(terminal);
  if (!ended) {
    (void)co_await terminal->socket->close(1011, "the sandbox is gone");
  } else if (!terminal->client_gone) {
    co_await say_exit(terminal);
  }
  co_await reading.join();
  co_return Answer<void>();
}

}  // namespace

void add_terminal(Routes& routes) {
  routes.add(http::Method::kGet, "/sessions/{id}/pty", "openTerminal", open_terminal);
}

}  // namespace atl::api::rest
