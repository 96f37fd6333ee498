// GET /sessions/{id}/pty: a terminal over a WebSocket. Binary messages are bytes in both
// directions; text messages are JSON: {"resize":{"rows":R,"cols":C}} from the client, {"exit":{…}}
// at the end.
#include <memory>
#include <utility>

#include <boost/describe/class.hpp>

#include "api/common/limits.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"
#include "async/task_group.hpp"

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

// A terminal and its client.
struct Connection {
  std::unique_ptr<http::WebSocket> socket;
  std::shared_ptr<control::Terminal> terminal;
  bool client_gone = false;
};
using ConnectionPtr = std::shared_ptr<Connection>;

Task<Result<void>> take_message(ConnectionPtr connection, http::WebSocketMessage message) {
  if (message.kind == http::WebSocketMessage::Kind::kBinary) {
    co_return co_await connection->terminal->write(std::move(message.data));
  }
  auto said = codec::decode<TerminalMessage>(message.data);
  if (!said || said->resize.rows == 0 || said->resize.cols == 0) {
    co_return fail(Code::kInvalidArgument,
                   "a text message is {\"resize\":{\"rows\":R,\"cols\":C}}");
  }
  co_return co_await connection->terminal->resize(said->resize.rows, said->resize.cols);
}

// From the client to the program, until the client goes: then the program goes too, as when
// somebody hangs up.
Task<void> read_client(ConnectionPtr connection) {
  for (;;) {
    Result<http::WebSocketMessage> message = co_await connection->socket->read();
    if (!message || message->kind == http::WebSocketMessage::Kind::kClose) break;
    Result<void> taken = co_await take_message(connection, std::move(*message));
    if (!taken && taken.error().code() == Code::kInvalidArgument) {
      (void)co_await connection->socket->close(1003, taken.error().message());
      break;
    }
  }
  connection->client_gone = true;
  co_await connection->terminal->hang_up();
}

Task<Result<void>> read_program(ConnectionPtr connection) {
  for (;;) {
    ATOLL_CO_TRY(std::string bytes, co_await connection->terminal->read());
    if (bytes.empty()) co_return Result<void>();
    if (connection->client_gone) continue;  // drained, so that it can end
    Result<void> written = co_await connection->socket->write_binary(bytes);
    if (!written) connection->client_gone = true;
  }
}

Task<void> say_exit(ConnectionPtr connection) {
  Result<control::TerminalExit> status = co_await connection->terminal->wait();
  if (!status) {
    (void)co_await connection->socket->close(1011, status.error().message());
    co_return;
  }
  std::string text = codec::serialize(
      object{{"exit", object{{"exit_code", status->exit_code}, {"signal", status->signal}}}});
  (void)co_await connection->socket->write_text(text);
  (void)co_await connection->socket->close(1000, "");
}

Answer<control::TerminalRequest> request_of(const Call& call) {
  ATOLL_TRY(std::uint64_t rows, query_number(call, "rows", 24, 1, 1000));
  ATOLL_TRY(std::uint64_t cols, query_number(call, "cols", 80, 1, 1000));
  std::string command(call.request().query_value("command"));
  if (command.size() > kMaxCommand || command.find('\0') != command.npos) {
    return refuse(Code::kInvalidArgument, "the command is too long, or has a NUL");
  }
  return control::TerminalRequest{.command = std::move(command),
                                  .cwd = std::string(call.request().query_value("cwd")),
                                  .rows = static_cast<std::uint16_t>(rows),
                                  .cols = static_cast<std::uint16_t>(cols)};
}

Task<Answer<void>> open_terminal(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"rows", "cols", "command", "cwd"}));
  ATOLL_CO_TRY(control::TerminalRequest request, request_of(call));
  auto connection = std::make_shared<Connection>();
  ATOLL_CO_TRY(connection->terminal, co_await call.control().terminals().open(
                                         call.caller, call.session_id(), std::move(request)));
  ATOLL_CO_TRY(connection->socket,
               co_await call.exchange->upgrade({.max_message = kMaxTerminalMessage}));
  if (Result<void> started = co_await connection->terminal->start(); !started) {
    (void)co_await connection->socket->close(1011, started.error().message().substr(0, 120));
    co_return Answer<void>();
  }
  async::TaskGroup reading(call.rest->options.executor);
  reading.spawn(read_client(connection));
  Result<void> ended = co_await read_program(connection);
  if (!ended) {
    (void)co_await connection->socket->close(1011, "the sandbox is gone");
  } else if (!connection->client_gone) {
    co_await say_exit(connection);
  }
  co_await reading.join();
  co_return Answer<void>();
}

}  // namespace

void add_terminal(Routes& routes) {
  routes.add(http::Method::kGet, "/sessions/{id}/pty", "openTerminal", Access::kWriter,
             open_terminal);
}

}  // namespace atl::api::rest
