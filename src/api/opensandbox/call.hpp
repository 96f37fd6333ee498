// One request on its way through an endpoint of this dialect.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/common/dialect.hpp"
#include "api/common/port_forward.hpp"
#include "api/common/refusal.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "codec/json.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"
#include "http/router.hpp"

namespace atl::api::opensandbox {

using async::Task;
using boost::json::object;
using http::Access;
using http::Method;

// What all endpoints share. Lives as long as the dialect.
struct Shared {
  Shared(control::Control& plane, DialectOptions wishes)
      : control(plane), options(std::move(wishes)), pool(2) {}

  control::Control& control;
  DialectOptions options;
  async::Pool pool;  // for outputs in files
};
using SharedPtr = std::shared_ptr<Shared>;

struct Call {
  SharedPtr shared;
  http::Exchange* exchange;
  control::Caller caller;

  control::Control& control() const { return shared->control; }
  const http::Request& request() const { return exchange->request(); }
  SessionId session_id() const { return SessionId(request().capture("id")); }
};

// An endpoint either returns its whole answer, or writes it as it comes.
using Plain = Task<Answer<http::Response>> (*)(Call call);
using Streaming = Task<Answer<void>> (*)(Call call);

class Routes {
 public:
  Routes(http::Router& router, SharedPtr shared) : router_(router), shared_(std::move(shared)) {}

  // `path` is below /v1.
  void lifecycle(Method method, std::string_view path, std::string_view name, Access access,
                 Plain plain);
  // `path` is below the port of execd, or of the egress sidecar.
  void execd(Method method, std::string_view path, std::string_view name, Access access,
             Plain plain);
  void execd(Method method, std::string_view path, std::string_view name, Access access,
             Streaming streaming);
  void egress(Method method, std::string_view path, std::string_view name, Access access,
              Plain plain);
  void any(std::string_view whole_path, std::string_view name, Access access, Streaming streaming);

 private:
  http::Handler handler(Plain plain) const;
  http::Handler handler(Streaming streaming) const;

  http::Router& router_;
  SharedPtr shared_;
};

void add_lifecycle(Routes& routes);
void add_snapshots(Routes& routes);
void add_diagnostics(Routes& routes);
void add_unsupported(Routes& routes);
void add_commands(Routes& routes);
void add_shells(Routes& routes);
void add_code(Routes& routes);
void add_files(Routes& routes);
void add_metrics(Routes& routes);
void add_policy(Routes& routes);
void add_terminals(Routes& routes);
void add_proxy(Routes& routes);

// The body as JSON; unknown members are passed over. Nothing at all is {}.
Task<Answer<std::string>> read_text(Call call);
// Absent members keep their defaults.
template <typename T>
Answer<T> decode_body(std::string_view text) {
  codec::Decoded<T> body = codec::decode<T>(text, {.ignore_unknown = true, .keep_defaults = true},
                                            {.max_bytes = text.size() + 1, .max_depth = 32});
  if (!body) return std::unexpected<Refusal>(std::move(body).error());
  return std::move(*body);
}
template <typename T>
Task<Answer<T>> read_json(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_text(std::move(call)));
  co_return decode_body<T>(text);
}

http::Response json_response(int status, const boost::json::value& body);
// With `Content-Length: 0`: their JavaScript client parses an empty chunked body and fails.
http::Response empty_response(int status);

// Query parameters, bounded.
Answer<std::uint64_t> query_number(const Call& call, std::string_view name, std::uint64_t absent,
                                   std::uint64_t least, std::uint64_t most);
Answer<bool> query_flag(const Call& call, std::string_view name);
// Every value of a parameter that may be repeated; at least one, at most kMaxEntries.
Answer<std::vector<std::string>> query_all(const Call& call, std::string_view name);

}  // namespace atl::api::opensandbox
