// The events of one execution as they come. A stream that is cut is taken up behind the last event
// that was seen, so nothing is lost and nothing comes twice, also over a restart of the server.
#pragma once

#include <optional>
#include <string>

#include "client/api.hpp"
#include "codec/json.hpp"
#include "http/sse.hpp"

namespace atl::client {

struct ExecutionEvent {
  std::string name;  // init, stdout, stderr, result, error, complete
  boost::json::value data;

  // The data as the body that belongs to the name (bodies/execution.hpp).
  template <typename Body>
  Result<Body> as() const {
    auto body = codec::decode_value<Body>(data, {.ignore_unknown = true, .keep_defaults = true});
    if (!body) return fail(Code::kBackend, "cannot read the event " + name + " of the server");
    return std::move(*body);
  }
};

// Why an execution failed, where it was not its program that said so.
std::optional<Error> failure_of(const bodies::ExecutionBody& execution);

class ExecutionStream {
 public:
  explicit ExecutionStream(Api& api) : api_(&api) {}

  // Starts an execution and listens to it.
  Task<Result<void>> start(SessionId session, bodies::ExecuteBody body);
  // Listens to one from its beginning.
  Task<Result<void>> follow(ExecutionId id);
  // nullopt after `complete`. When the server is gone for long, the Error of the last attempt.
  Task<Result<std::optional<ExecutionEvent>>> next();
  // Known from the first event on.
  const ExecutionId& id() const { return id_; }

 private:
  Task<Result<void>> connect();
  Task<Result<void>> connect_again();
  Result<std::optional<ExecutionEvent>> take(http::SseEvent event);

  Api* api_;
  SessionId session_;
  std::string body_;        // of the request that starts it
  std::string repeat_key_;  // makes that request one, however often it is sent
  ExecutionId id_;
  std::string last_event_;
  bool complete_ = false;
  std::optional<http::ClientResponse> response_;
  http::SseReader reader_;
};

}  // namespace atl::client
