// One request on its way through an endpoint: its body, its Idempotency-Key, checks of its members,
// and what an answer is made with. Parameters of the query are in query.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>

#include "api/common/port_forward.hpp"
#include "api/common/refusal.hpp"
#include "api/rest/rest.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "codec/json.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"

namespace atl::api::rest {

using async::Task;
using StringMap = std::map<std::string, std::string>;

// What all endpoints share. Lives as long as the router.
struct Rest {
  Rest(control::Control& plane, const RestOptions& wishes);

  control::Control& control;
  RestOptions options;
  observe::Metrics& metrics;
  async::Pool pool;  // for outputs in files
  async::TaskGroup tasks;
};
using RestPtr = std::shared_ptr<Rest>;

struct Call {
  RestPtr rest;
  http::Exchange* exchange;
  control::Caller caller;

  control::Control& control() const { return rest->control; }
  const http::Request& request() const { return exchange->request(); }
  SessionId session_id() const { return SessionId(request().capture("id")); }
  ExecutionId execution_id() const { return ExecutionId(request().capture("id")); }
};

// For ports inside the session that the path names.
PortCall port_call(const Call& call);

// The body of a JSON request: 415 for another type, 413 beyond the limit or the configured one.
// Nothing at all is {}.
Task<Answer<std::string>> read_json_text(Call call, std::uint64_t limit = UINT64_MAX);

// Absent members keep their defaults; unknown ones are refused.
template <typename T>
Answer<T> decode_body(std::string_view text) {
  codec::Decoded<T> body = codec::decode<T>(text, {.keep_defaults = true},
                                            {.max_bytes = text.size() + 1, .max_depth = 32});
  if (!body) return std::unexpected<Refusal>(std::move(body).error());
  return std::move(*body);
}

template <typename T>
Task<Answer<T>> read_json(Call call, std::uint64_t limit = UINT64_MAX) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(std::move(call), limit));
  co_return decode_body<T>(text);
}

http::Response json_response(int status, const boost::json::value& body);
template <typename Body>
  requires(boost::describe::has_describe_members<Body>::value)
http::Response json_response(int status, const Body& body) {
  return json_response(status, codec::to_json(body));
}
http::Response json_text_response(int status, std::string body);
http::Response no_content();

// For what is no change in the store: recorded soon, and nobody waits.
void record(const Call& call, model::AuditAction action, std::string detail);

// The key of this request, if it has one, and what an earlier request with it made. `body` is what
// the fingerprint is made of, with method and path.
Task<Answer<control::Once>> begin_once(Call call, std::string body);

// An answer to a repeated request says so.
http::Response mark_replayed(http::Response response, bool replayed);

// Checks of members. Each names the member by its JSON pointer.

// At most so many bytes, and no NUL: no database takes it, nor any program.
Answer<void> check_text(const std::optional<std::string>& text, const std::string& at,
                        std::size_t longest = SIZE_MAX);
Answer<void> check_seconds(const std::optional<std::uint64_t>& seconds, const std::string& at);
// Names of 1 to 256 bytes, values up to `longest`.
Answer<void> check_map(const std::optional<StringMap>& map, const std::string& at,
                       std::size_t longest);
// The same, with names of variables.
Answer<void> check_environment(const std::optional<StringMap>& map, const std::string& at);
// No NUL in any name or string of it.
Answer<void> check_no_nul(const boost::json::value& value, const std::string& at);
// One segment of a JSON pointer.
std::string pointer_segment(std::string_view name);
// Bytes that come as text or as base64, or neither. `at` is the pointer of the text.
Answer<std::optional<std::string>> text_or_base64(std::optional<std::string> text,
                                                  std::optional<std::string> coded, std::string at);
// For a member that may stand in two places: the second wins where it is given.
template <typename T>
void take_given(std::optional<T>& one, std::optional<T> other) {
  if (other) one = std::move(other);
}

}  // namespace atl::api::rest
