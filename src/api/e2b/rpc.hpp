// Calls of the Connect protocol: how a message gets to a function and its answer back, whichever
// codec the client chose. Server streams end with an envelope of their own, errors too.
#pragma once

#include <chrono>
#include <optional>

#include "api/e2b/call.hpp"
#include "api/e2b/connect.hpp"

namespace atl::api::e2b {

// A stream to the client. Begun with its first message.
class StreamOut {
 public:
  StreamOut(http::Exchange& exchange, Framing framing, const MessageType& type)
      : exchange_(exchange), framing_(framing), type_(type) {}

  // An Error means that the client is gone.
  Task<Result<void>> send(object message);
  Task<Result<void>> finish(std::optional<object> error = std::nullopt);

 private:
  Task<Result<void>> write(std::uint8_t flags, std::string data);

  http::Exchange& exchange_;
  Framing framing_;
  const MessageType& type_;
  bool begun_ = false;
};

using UnaryCall = Task<Answer<object>> (*)(Call call, object message);
// A refusal goes to the client as the end of the stream.
using StreamCall = Task<Answer<void>> (*)(Call call, object message, StreamOut* out);

Task<Answer<http::Response>> answer_unary(Call call, const MessageType* in, const MessageType* out,
                                          UnaryCall function);
Task<Answer<void>> answer_stream(Call call, const MessageType* in, const MessageType* out,
                                 StreamCall function);
// The refusal as it stands at the end of a stream.
object stream_error(const Call& call, Refusal refusal);

template <const MessageType& In, const MessageType& Out, UnaryCall Function>
Task<Answer<http::Response>> unary(Call call) {
  return answer_unary(std::move(call), &In, &Out, Function);
}
template <const MessageType& In, const MessageType& Out, StreamCall Function>
Task<Answer<void>> stream(Call call) {
  return answer_stream(std::move(call), &In, &Out, Function);
}

// Connect-Timeout-Ms; nothing: none, or 0.
Answer<std::optional<std::chrono::milliseconds>> timeout_of(const http::Request& request);
// How long a stream may be silent: Keepalive-Ping-Interval in seconds, or 90.
std::chrono::seconds keepalive_of(const http::Request& request);
// Sandboxes have one user. 401 for another.
Answer<void> check_user(std::string_view name);
Answer<void> check_user(const http::Request& request);

// A stream that waits: says keepalive when it is time, ends when the server stops or its own time
// is up.
class StreamClock {
 public:
  enum class Beat : std::uint8_t { kNothing, kKeepAlive, kTimeUp, kDraining };

  StreamClock(const Call& call, std::optional<std::chrono::milliseconds> limit);
  async::Deadline next() const;
  Beat beat();
  void said_something();

 private:
  const E2b& e2b_;
  std::chrono::seconds keepalive_;
  async::Deadline spoken_;
  async::Deadline end_;
};

void add_process(Routes& routes);
void add_process_input(Routes& routes);
void add_filesystem(Routes& routes);
void add_watch(Routes& routes);

}  // namespace atl::api::e2b
