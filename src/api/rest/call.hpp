// One request on its way through an endpoint, and what endpoints need to say an answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "api/rest/rest.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "codec/json.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"
#include "model/queries.hpp"

namespace atl::api::rest {

using async::Task;

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

// 403 for anybody who is not.
Answer<void> require_admin(const Call& call);
// 403 for read-only keys: what is asked for by GET and changes something.
Answer<void> require_writer(const Call& call);

// A number in the query; the default when it is absent.
Answer<std::uint64_t> query_number(const Call& call, std::string_view name, std::uint64_t absent,
                                   std::uint64_t least, std::uint64_t most);
Answer<bool> query_flag(const Call& call, std::string_view name, bool absent);
// limit and cursor.
Answer<model::Page> query_page(const Call& call);
// 400 for a parameter that is not among these.
Answer<void> known_query(const Call& call, std::initializer_list<std::string_view> names);

}  // namespace atl::api::rest
