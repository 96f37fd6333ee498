#include "client/terminal.hpp"

#include <utility>

#include <boost/json/object.hpp>

#include "codec/json.hpp"
#include "http/uri.hpp"

namespace atl::client {

namespace {

using boost::json::value;

std::optional<int> exit_code_of(std::string_view text) {
  auto said = codec::parse(text);
  const boost::json::object* fields = said ? said->if_object() : nullptr;
  const value* exit = fields != nullptr ? fields->if_contains("exit") : nullptr;
  if (exit == nullptr || !exit->is_object()) return std::nullopt;
  const value* code = exit->get_object().if_contains("exit_code");
  if (code == nullptr || !code->is_int64()) return std::nullopt;
  return static_cast<int>(code->get_int64());
}

}  // namespace

Task<Result<Terminal>> Terminal::open(Api* api, SessionId session, TerminalOptions options) {
  std::string target = session_path(session, "/pty?rows=") + std::to_string(options.rows) +
                       "&cols=" + std::to_string(options.cols);
  if (!options.command.empty()) target += "&command=" + http::percent_encode(options.command);
  if (!options.cwd.empty()) target += "&cwd=" + http::percent_encode(options.cwd);
  ATOLL_CO_TRY(std::unique_ptr<http::WebSocket> socket, co_await api->websocket(target));
  co_return Terminal(std::move(socket));
}

Task<Result<void>> Terminal::type(std::string bytes) {
  co_return co_await socket_->write_binary(bytes);
}

Task<Result<void>> Terminal::resize(std::uint16_t rows, std::uint16_t cols) {
  std::string text =
      codec::serialize({{"resize", boost::json::object{{"rows", rows}, {"cols", cols}}}});
  co_return co_await socket_->write_text(text);
}

Task<Result<Terminal::Output>> Terminal::read() {
  for (;;) {
    ATOLL_CO_TRY(http::WebSocketMessage message, co_await socket_->read());
    switch (message.kind) {
      case http::WebSocketMessage::Kind::kBinary: co_return Output{.bytes = message.data};
      case http::WebSocketMessage::Kind::kText:
        if (auto code = exit_code_of(message.data)) co_return Output{.exit_code = code};
        break;
      case http::WebSocketMessage::Kind::kClose:
        co_return fail(Code::kBackend, message.data.empty()
                                           ? "the server ended the terminal"
                                           : "the terminal ended: " + message.data);
    }
  }
}

}  // namespace atl::client
