// A terminal in a session, over a WebSocket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/api.hpp"

namespace atl::client {

struct TerminalOptions {
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
  std::string command = {};  // empty: a shell
  std::string cwd = {};
};

class Terminal {
 public:
  static Task<Result<Terminal>> open(Api* api, SessionId session, TerminalOptions options);

  Task<Result<void>> type(std::string bytes);
  Task<Result<void>> resize(std::uint16_t rows, std::uint16_t cols);

  struct Output {
    std::string bytes;
    std::optional<int> exit_code;  // it has ended
  };
  // An Error when the connection, or the sandbox, is gone.
  Task<Result<Output>> read();
  void cut() { socket_->cut(); }

 private:
  explicit Terminal(std::unique_ptr<http::WebSocket> socket) : socket_(std::move(socket)) {}
  std::unique_ptr<http::WebSocket> socket_;
};

}  // namespace atl::client
