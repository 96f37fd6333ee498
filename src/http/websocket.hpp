// One WebSocket, either end. Fragments are joined, pings answered, text checked to be UTF-8. One
// reader at a time; writers may be several, their messages go out in the order of the calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

namespace atl::http {

using async::Task;

struct WebSocketOptions {
  std::size_t max_message = 1024 * 1024;  // a larger one ends the connection (1009)
  std::string subprotocol = {};           // what the server chose, or the client asks for
  Headers headers = {};                   // further fields of the handshake
  // A peer that says nothing for this long is asked by a ping, then given up.
  std::chrono::milliseconds idle_timeout{std::chrono::seconds(60)};
};

struct WebSocketMessage {
  enum class Kind { kText, kBinary, kClose };
  Kind kind = Kind::kText;
  std::string data;              // kClose: the reason
  std::uint16_t close_code = 0;  // kClose: 1005 when the peer gave none
};

class WebSocket {
 public:
  virtual ~WebSocket() = default;  // cuts the connection when it was not closed

  // After kClose, which has been answered already, there is nothing more. A connection that is cut
  // without a close is an Error. Needed for pings to be answered, so keep one read() pending.
  virtual Task<Result<WebSocketMessage>> read() = 0;
  // The bytes must stay where they are until this returns.
  virtual Task<Result<void>> write_text(std::string_view text) = 0;
  virtual Task<Result<void>> write_binary(std::string_view bytes) = 0;
  // Says goodbye. When a read() is pending it will see the answer, otherwise this waits for it.
  virtual Task<Result<void>> close(std::uint16_t code, std::string reason) = 0;
  // At once, without a goodbye; pending operations fail.
  virtual void cut() = 0;
};

}  // namespace atl::http
