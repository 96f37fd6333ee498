#include "api/opensandbox/call.hpp"

#include "api/common/limits.hpp"
#include "api/common/middleware.hpp"
#include "api/common/text.hpp"
#include "api/opensandbox/errors.hpp"

namespace atl::api::opensandbox {

namespace {

constexpr const char* kExecd = "/sandboxes/{id}/proxy/44772";
constexpr const char* kEgress = "/sandboxes/{id}/proxy/18080";

// A sandbox that has ended is gone for their clients, whatever failed because of it.
Task<void> find_reason(Call call, Refusal* refusal) {
  Code code = refusal->error.code();
  bool maybe = code == Code::kConflict || code == Code::kBackend || code == Code::kCancelled;
  SessionId id = call.session_id();
  if (!maybe || id.empty()) co_return;
  Result<model::Session> row = co_await call.control().sessions().get(call.caller, id);
  if (!row || !model::is_final(row->state)) co_return;
  std::string why = row->error_message.empty() ? "" : ": " + row->error_message;
  *refusal = Error(Code::kSessionNotFound, "the sandbox has ended" + why);
}

Task<void> refuse_with(Call call, Refusal refusal) {
  http::Exchange* exchange = call.exchange;
  if (exchange->answered()) co_return;  // begun and not finished: the connection is cut
  co_await find_reason(std::move(call), &refusal);
  if (exchange->client_stalled() && refusal.error.code() == Code::kTransferTimeout) {
    refusal = Refusal(408, "transfer_timeout", "the rest of the request did not come in time");
  }
  (void)co_await exchange->respond(render(refusal, exchange->request()));
}

Task<void> run_plain(Plain plain, Call call) {
  Answer<http::Response> answer = co_await plain(call);
  if (answer) {
    (void)co_await call.exchange->respond(std::move(*answer));
  } else {
    co_await refuse_with(std::move(call), std::move(answer).error());
  }
}

Task<void> run_streaming(Streaming streaming, Call call) {
  Answer<void> answer = co_await streaming(call);
  if (!answer) co_await refuse_with(std::move(call), std::move(answer).error());
}

http::RouteOptions named(std::string_view name, Access access) {
  return {.name = "opensandbox_" + std::string(name), .access = access};
}

}  // namespace

http::Handler Routes::handler(Plain plain) const {
  return [shared = shared_, plain](http::Exchange& exchange) {
    return run_plain(plain, Call{shared, &exchange, caller_of(exchange)});
  };
}

http::Handler Routes::handler(Streaming streaming) const {
  return [shared = shared_, streaming](http::Exchange& exchange) {
    return run_streaming(streaming, Call{shared, &exchange, caller_of(exchange)});
  };
}

void Routes::lifecycle(Method method, std::string_view path, std::string_view name, Access access,
                       Plain plain) {
  router_.add(method, "/v1" + std::string(path), handler(plain), named(name, access));
}

void Routes::execd(Method method, std::string_view path, std::string_view name, Access access,
                   Plain plain) {
  router_.add(method, kExecd + std::string(path), handler(plain), named(name, access));
}

void Routes::execd(Method method, std::string_view path, std::string_view name, Access access,
                   Streaming streaming) {
  router_.add(method, kExecd + std::string(path), handler(streaming), named(name, access));
}

void Routes::egress(Method method, std::string_view path, std::string_view name, Access access,
                    Plain plain) {
  router_.add(method, kEgress + std::string(path), handler(plain), named(name, access));
}

void Routes::any(std::string_view whole_path, std::string_view name, Access access,
                 Streaming streaming) {
  router_.add(http::kAny, whole_path, handler(streaming), named(name, access));
}

Task<Answer<std::string>> read_text(Call call) {
  if (call.request().headers.find("content-encoding")) {
    co_return refuse(415, "unsupported_media_type", "the body must be plain, not encoded");
  }
  ATOLL_CO_TRY(std::string text,
               co_await call.exchange->read_body(call.shared->options.body_bytes));
  if (text.empty()) text = "{}";
  co_return text;
}

http::Response json_response(int status, const boost::json::value& body) {
  http::Response response{.status = status, .body = codec::serialize(body)};
  response.headers.add("Content-Type", "application/json");
  return response;
}

http::Response empty_response(int status) { return {.status = status}; }

Answer<std::uint64_t> query_number(const Call& call, std::string_view name, std::uint64_t absent,
                                   std::uint64_t least, std::uint64_t most) {
  auto text = call.request().find_query(name);
  if (!text || text->empty()) return absent;
  auto number = to_number(*text);
  if (!number || *number < least || *number > most) {
    return refuse(Code::kInvalidArgument, "the query parameter `" + std::string(name) +
                                              "` must be a number from " + std::to_string(least) +
                                              " to " + std::to_string(most));
  }
  return *number;
}

Answer<bool> query_flag(const Call& call, std::string_view name) {
  std::string_view text = call.request().query_value(name);
  if (text.empty() || text == "false" || text == "0") return false;
  if (text == "true" || text == "1") return true;
  return refuse(Code::kInvalidArgument,
                "the query parameter `" + std::string(name) + "` must be true or false");
}

Answer<std::vector<std::string>> query_all(const Call& call, std::string_view name) {
  std::vector<std::string> all;
  for (const auto& [given, value] : call.request().query) {
    if (given == name) all.push_back(value);
  }
  if (all.empty()) {
    return refuse(400, "missing_query",
                  "the query parameter `" + std::string(name) + "` is required");
  }
  if (all.size() > kMaxLinks) {
    return refuse(Code::kInvalidArgument, "too many of `" + std::string(name) + "`");
  }
  return all;
}

}  // namespace atl::api::opensandbox
