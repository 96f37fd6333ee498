// One request and its answer, as a handler sees them. It belongs to the connection and lives until
// the handler has returned. All on the server's one I/O thread.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "http/raw_stream.hpp"
#include "http/websocket.hpp"

namespace atl::http {

using async::Task;

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  const Request& request() const { return request_; }
  Request& request() { return request_; }
  // Fields that go with the answer, whoever gives it: request ids, CORS. A field that the answer
  // has itself wins.
  Headers& answer_headers() { return answer_headers_; }
  // Whatever a middleware wants to hand down, such as the caller's identity.
  std::any& attachment() { return attachment_; }

  // The whole body; kTooLarge beyond `limit`, kInvalidArgument when the client stopped before its
  // end.
  virtual Task<Result<std::string>> read_body(std::size_t limit) = 0;
  // At least one byte, 0 at the end of the body. A body that was cut is an Error, never 0.
  virtual Task<Result<std::size_t>> read_some(std::span<char> into) = 0;

  // An Error means that the client is gone; the handler has nothing more to do about it.
  virtual Task<Result<void>> respond(Response response) = 0;

  // A streamed answer: chunked without a length. Without finish(), or short of its length, the
  // connection is cut, so that the client knows that the answer is not whole.
  virtual Task<Result<void>> begin(int status, Headers headers,
                                   std::optional<std::uint64_t> length = std::nullopt) = 0;
  // Returns when the socket took the bytes, which must stay where they are until then.
  virtual Task<Result<void>> write(std::string_view bytes) = 0;
  virtual Task<Result<void>> finish() = 0;

  // respond(), begin() or upgrade() was called.
  virtual bool answered() const = 0;
  virtual int status() const = 0;                // of the answer; 0 before
  virtual std::uint64_t bytes_sent() const = 0;  // of the answer's body

  // The client did not send, or take, anything for longer than it may: whatever failed is its own
  // doing.
  virtual bool client_stalled() const = 0;
  // Until the client closed its connection, or its sending half of it: nobody can tell the two
  // apart, and an answer may still arrive. Cancellable; may be awaited beside any other call.
  virtual Task<void> client_gone() = 0;

  // Ends the connection in the middle of whatever it is used for, WebSockets included: to the
  // handler the client is gone.
  virtual void cut() = 0;

  virtual Task<Result<std::unique_ptr<WebSocket>>> upgrade(WebSocketOptions options) = 0;
  // 101 with these fields, then the bare connection: for proxies.
  virtual Task<Result<std::unique_ptr<RawStream>>> switch_protocols(Headers headers) = 0;

 protected:
  Request request_;
  Headers answer_headers_;
  std::any attachment_;
};

// Answers through the Exchange. Exceptions are bugs: logged, and 500 for the client.
using Handler = std::function<Task<void>(Exchange&)>;

}  // namespace atl::http
