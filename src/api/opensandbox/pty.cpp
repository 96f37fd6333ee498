// /pty of execd: terminals that outlive the connection of their client. Over the WebSocket, binary
// messages begin with what they are (0 input; 1 output; 3 output that was missed, behind its offset
// in 8 bytes, big-endian), text messages are JSON.
#include <csignal>
#include <memory>
#include <utility>

#include <boost/describe/class.hpp>

#include "api/common/limits.hpp"
#include "api/opensandbox/call.hpp"
#include "async/task_group.hpp"

namespace atl::api::opensandbox {

namespace {

constexpr char kInput = 0;
constexpr char kOutput = 1;
constexpr char kReplay = 3;
constexpr std::uint16_t kTakenOver = 4001;

struct OpenBody {
  std::optional<std::string> cwd;
  std::optional<std::string> command;
};
BOOST_DESCRIBE_STRUCT(OpenBody, (), (cwd, command))

struct ClientMessage {
  std::string type;
  std::optional<std::uint16_t> rows;
  std::optional<std::uint16_t> cols;
  std::optional<std::string> signal;
};
BOOST_DESCRIBE_STRUCT(ClientMessage, (), (type, rows, cols, signal))

struct Connection {
  std::unique_ptr<http::WebSocket> socket;
  control::KeptTerminalPtr terminal;
  std::uint64_t client = 0;
  bool gone = false;
};
using ConnectionPtr = std::shared_ptr<Connection>;

// nullopt: none that a client may send.
std::optional<int> signal_number(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  static constexpr std::pair<std::string_view, int> kSignals[] = {
      {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},  {"KILL", SIGKILL},
      {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},  {"STOP", SIGSTOP},
      {"CONT", SIGCONT}, {"TSTP", SIGTSTP}, {"WINCH", SIGWINCH}};
  for (const auto& [known, number] : kSignals) {
    if (known == name) return number;
  }
  return std::nullopt;
}

std::string big_endian(std::uint64_t number) {
  std::string bytes(8, '\0');
  for (std::size_t i = 8; i-- > 0; number >>= 8) bytes[i] = static_cast<char>(number & 0xff);
  return bytes;
}

Task<Result<void>> take_text(ConnectionPtr connection, std::string text) {
  auto said = codec::decode<ClientMessage>(text, {.ignore_unknown = true});
  if (!said) co_return Result<void>();  // not for us
  if (said->type == "ping") {
    std::string pong = R"({"type":"pong"})";
    co_return co_await connection->socket->write_text(pong);
  }
  if (said->type == "resize" && said->rows.value_or(0) > 0 && said->cols.value_or(0) > 0) {
    co_return co_await connection->terminal->resize(*said->rows, *said->cols);
  }
  std::optional<int> number;
  if (said->type == "signal") number = signal_number(said->signal.value_or(""));
  if (number) co_return co_await connection->terminal->signal(*number);
  co_return Result<void>();
}

Task<void> read_client(ConnectionPtr connection) {
  using Kind = http::WebSocketMessage::Kind;
  for (;;) {
    Result<http::WebSocketMessage> message = co_await connection->socket->read();
    if (!message || message->kind == Kind::kClose) break;
    if (!connection->terminal->is_attached(connection->client)) continue;
    if (message->kind == Kind::kText) {
      (void)co_await take_text(connection, std::move(message->data));
    } else if (!message->data.empty() && message->data[0] == kInput) {
      (void)co_await connection->terminal->write(message->data.substr(1));
    }
  }
  connection->gone = true;
  connection->terminal->detach(connection->client);
}

// An Error: the client is gone.
Task<Result<void>> write_output(ConnectionPtr connection, std::uint64_t from) {
  bool replay = from < connection->terminal->printed();
  for (;;) {
    control::KeptTerminal::Piece piece =
        co_await connection->terminal->read(from, connection->client);
    if (piece.bytes.empty()) co_return Result<void>();
    bool missed = std::exchange(replay, false) || piece.at != from;
    std::string frame = missed ? kReplay + big_endian(piece.at) : std::string(1, kOutput);
    frame += piece.bytes;
    ATOLL_CO_CHECK(co_await connection->socket->write_binary(frame));
    from = piece.at + piece.bytes.size();
  }
}

Task<void> say_end(ConnectionPtr connection) {
  if (!connection->terminal->ended()) {
    (void)co_await connection->socket->close(kTakenOver, "another client has taken over");
    co_return;
  }
  const auto& exit = connection->terminal->exit();
  std::string text =
      codec::serialize(object{{"type", "exit"}, {"exit_code", exit ? exit->exit_code : -1}});
  (void)co_await connection->socket->write_text(text);
  (void)co_await connection->socket->close(1000, "");
}

Task<Answer<http::Response>> open(Call call) {
  ATOLL_CO_TRY(OpenBody body, co_await read_json<OpenBody>(call));
  control::TerminalRequest request{.command = std::move(body.command).value_or(""),
                                   .cwd = std::move(body.cwd).value_or("")};
  if (request.command.size() > kMaxCommand || request.command.find('\0') != std::string::npos ||
      request.cwd.size() > kMaxPath) {
    co_return refuse_value("/command", "is too long, or has a NUL");
  }
  ATOLL_CO_TRY(std::string id, co_await call.control().kept_terminals().open(
                                   call.caller, call.session_id(), std::move(request)));
  co_return json_response(201, object{{"session_id", id}});
}

Answer<control::KeptTerminalPtr> find(const Call& call) {
  ATOLL_TRY(control::KeptTerminalPtr found,
            call.control().kept_terminals().find(call.caller, call.session_id(),
                                                 call.request().capture("terminal")));
  return found;
}

Task<Answer<http::Response>> get(Call call) {
  ATOLL_CO_TRY(control::KeptTerminalPtr terminal, find(call));
  object view{{"session_id", call.request().capture("terminal")},
              {"running", !terminal->ended()},
              {"output_offset", terminal->printed()}};
  if (terminal->exit()) view["exit_code"] = terminal->exit()->exit_code;
  co_return json_response(200, view);
}

Task<Answer<http::Response>> close(Call call) {
  ATOLL_CO_CHECK(call.control().kept_terminals().remove(call.caller, call.session_id(),
                                                        call.request().capture("terminal")));
  co_return empty_response(200);
}

Task<Answer<void>> connect(Call call) {
  ATOLL_CO_TRY(control::KeptTerminalPtr terminal, find(call));
  ATOLL_CO_TRY(bool take_over, query_flag(call, "takeover"));
  ATOLL_CO_TRY(std::uint64_t since, query_number(call, "since", 0, 0, UINT64_MAX / 2));
  std::optional<std::uint64_t> client = terminal->attach(take_over);
  if (!client) co_return refuse(Code::kConflict, "the terminal has a client already");
  auto connection = std::make_shared<Connection>(
      Connection{.socket = {}, .terminal = std::move(terminal), .client = *client});
  Result<std::unique_ptr<http::WebSocket>> socket =
      co_await call.exchange->upgrade({.max_message = kMaxTerminalMessage});
  if (!socket) {
    connection->terminal->detach(*client);
    co_return std::unexpected<Refusal>(std::move(socket).error());
  }
  connection->socket = std::move(*socket);
  async::TaskGroup reading(call.shared->options.executor);
  reading.spawn(read_client(connection));
  std::string hello = codec::serialize(object{
      {"type", "connected"}, {"session_id", call.request().capture("terminal")}, {"mode", "pty"}});
  Result<void> written = co_await connection->socket->write_text(hello);
  if (written) written = co_await write_output(connection, since);
  if (written && !connection->gone) co_await say_end(connection);
  connection->terminal->detach(connection->client);
  co_await reading.join();
  co_return Answer<void>();
}

}  // namespace

void add_terminals(Routes& routes) {
  routes.execd(Method::kPost, "/pty", "open_terminal", Access::kWriter, open);
  routes.execd(Method::kGet, "/pty/{terminal}", "get_terminal", Access::kReader, get);
  routes.execd(Method::kDelete, "/pty/{terminal}", "close_terminal", Access::kWriter, close);
  routes.execd(Method::kGet, "/pty/{terminal}/ws", "connect_terminal", Access::kWriter, connect);
}

}  // namespace atl::api::opensandbox
