#include "client/api.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"
#include "http/problem.hpp"
#include "http/uri.hpp"

namespace atl::client {

namespace {

using http::ClientRequest;
using http::ClientResponse;
using http::Method;
using std::chrono::seconds;

constexpr seconds kPatience{30};
constexpr seconds kCreatePatience{150};         // the server itself gives up after 120
constexpr std::size_t kMaxBody = 1u << 30;      // both streams of an execution, escaped
constexpr std::size_t kMaxProblem = 64 * 1024;  // more is no document of ours
constexpr std::size_t kPage = 200;

ClientRequest request_of(Method method, std::string target, seconds patience = kPatience) {
  return {.method = method, .target = std::move(target), .deadline = async::deadline_in(patience)};
}

ClientRequest with_json(Method method, std::string target, std::string body,
                        seconds patience = kPatience) {
  ClientRequest request = request_of(method, std::move(target), patience);
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

std::string query_of(const SessionFilter& filter, std::size_t limit, const std::string& cursor) {
  std::string query = "?limit=" + std::to_string(limit);
  std::string states;
  for (const std::string& state : filter.states) states += (states.empty() ? "" : ",") + state;
  if (!states.empty()) query += "&status=" + http::percent_encode(states);
  if (!filter.template_id.empty()) query += "&template=" + http::percent_encode(filter.template_id);
  for (const std::string& label : filter.labels) query += "&label=" + http::percent_encode(label);
  if (!cursor.empty()) query += "&cursor=" + http::percent_encode(cursor);
  return query;
}

std::string template_path(const std::string& id) {
  return "/templates/" + http::percent_encode(id);
}

// Nothing has answered: the address and what to do are worth more than the step that failed. An
// address that is none, and a wait that was given up, stay what they are.
Error no_answer(const Address& address, Error why) {
  if (why.code() == Code::kInvalidArgument || why.code() == Code::kCancelled) return why;
  int error = why.errno_value();
  std::string reason = error != 0 ? std::strerror(error) : why.message();
  Code code = why.code() == Code::kTransferTimeout ? why.code() : Code::kIo;
  if (reason.starts_with("TLS")) {
    return {code, "no safe connection to " + address.url + " (" + reason +
                      "); --ca-file names the certificates to trust"};
  }
  return {code,
          "no server answers at " + address.url + " (" + reason +
              "); start one with `atoll serve`, or name it by --server or ATOLL_SERVER",
          error};
}

http::ClientOptions options_of(const Address& address) {
  http::ClientOptions options{.endpoint = address.url, .ca_file = address.ca_file};
  options.headers.add("User-Agent", "atoll");
  if (!address.key.empty()) options.headers.add("X-API-Key", address.key);
  return options;
}

Task<Result<void>> nothing(Task<Result<value>> call) {
  ATOLL_CO_TRY([[maybe_unused]] value body, co_await std::move(call));
  co_return Result<void>();
}

}  // namespace

Api::Api(async::Executor executor, Address address)
    : address_(std::move(address)), client_(std::move(executor), options_of(address_)) {}

Task<Result<ClientResponse>> Api::open(ClientRequest request) {
  request.target.insert(0, "/api/v1");
  Result<ClientResponse> response = co_await client_.send(std::move(request));
  if (!response) co_return fail(no_answer(address_, std::move(response).error()));
  if (response->ok()) co_return response;
  Result<std::string> body =
      co_await response->read_body(kMaxProblem, async::deadline_in(kPatience));
  co_return fail(http::error_from(response->status(), body.value_or("")));
}

Task<Result<value>> Api::call(ClientRequest request) {
  async::Deadline deadline = request.deadline;
  ATOLL_CO_TRY(ClientResponse response, co_await open(std::move(request)));
  ATOLL_CO_TRY(std::string body, co_await response.read_body(kMaxBody, deadline));
  if (body.empty()) co_return value();
  auto document = codec::parse(body, {.max_bytes = kMaxBody, .max_depth = 128});
  if (!document) co_return fail(Code::kBackend, "the server's answer is no JSON; is it Atoll?");
  co_return std::move(*document);
}

Task<Result<std::unique_ptr<http::WebSocket>>> Api::websocket(std::string target) {
  auto socket = co_await client_.websocket("/api/v1" + target, {}, async::deadline_in(kPatience));
  if (!socket) co_return fail(no_answer(address_, std::move(socket).error()));
  co_return socket;
}

Task<Result<value>> Api::list_sessions(SessionFilter filter, std::size_t most) {
  boost::json::array all;
  std::string cursor;
  do {
    std::size_t limit = std::min(kPage, most - all.size());
    ATOLL_CO_TRY(value page, co_await call(request_of(
                                 Method::kGet, "/sessions" + query_of(filter, limit, cursor))));
    boost::json::object* fields = page.if_object();
    boost::json::value* rows = fields != nullptr ? fields->if_contains("sessions") : nullptr;
    if (rows == nullptr || !rows->is_array()) {
      co_return fail(Code::kBackend, "the server's answer has no sessions; is it Atoll?");
    }
    for (value& row : rows->get_array()) all.push_back(std::move(row));
    cursor = text_of(page, "next_cursor");
  } while (!cursor.empty() && all.size() < most);
  value next;
  if (!cursor.empty()) next = boost::json::string(cursor);
  co_return boost::json::object{{"sessions", std::move(all)}, {"next_cursor", std::move(next)}};
}

Task<Result<value>> Api::create_session(value body, bool wait) {
  ClientRequest request =
      with_json(Method::kPost, "/sessions", codec::serialize(body), kCreatePatience);
  if (wait) request.headers.add("Prefer", "wait");
  return call(std::move(request));
}

Task<Result<value>> Api::get_session(SessionId id) {
  return call(request_of(Method::kGet, session_path(id)));
}

Task<Result<void>> Api::delete_session(SessionId id) {
  return nothing(call(request_of(Method::kDelete, session_path(id))));
}

Task<Result<value>> Api::execute(SessionId id, value body) {
  return call(with_json(Method::kPost, session_path(id, "/execute"), codec::serialize(body)));
}

Task<Result<value>> Api::get_execution(ExecutionId id) {
  return call(request_of(Method::kGet, execution_path(id)));
}

Task<Result<value>> Api::list_results(SessionId id, std::size_t most) {
  return call(request_of(Method::kGet,
                         session_path(id, "/results?output=false&limit=" + std::to_string(most))));
}

Task<Result<void>> Api::cancel_execution(ExecutionId id) {
  return nothing(call(request_of(Method::kDelete, execution_path(id))));
}

Task<Result<void>> Api::write_stdin(ExecutionId id, std::string bytes, bool close) {
  ClientRequest request{.method = Method::kPost,
                        .target = execution_path(id, close ? "/stdin?close=true" : "/stdin"),
                        .body = std::move(bytes)};
  request.headers.add("Content-Type", "application/octet-stream");
  return nothing(call(std::move(request)));
}

Task<Result<value>> Api::list_templates() { return call(request_of(Method::kGet, "/templates")); }

Task<Result<value>> Api::get_template(std::string id) {
  return call(request_of(Method::kGet, template_path(id)));
}

Task<Result<value>> Api::create_template(std::string json) {
  return call(with_json(Method::kPost, "/templates", std::move(json)));
}

Task<Result<value>> Api::replace_template(std::string id, std::string json) {
  return call(with_json(Method::kPut, template_path(id), std::move(json)));
}

Task<Result<void>> Api::delete_template(std::string id) {
  return nothing(call(request_of(Method::kDelete, template_path(id))));
}

std::string session_path(const SessionId& id, std::string_view tail) {
  return "/sessions/" + http::percent_encode(id.str()) + std::string(tail);
}

std::string execution_path(const ExecutionId& id, std::string_view tail) {
  return "/executions/" + http::percent_encode(id.str()) + std::string(tail);
}

std::string text_of(const value& body, std::string_view name) {
  const boost::json::object* fields = body.if_object();
  const value* found = fields != nullptr ? fields->if_contains(name) : nullptr;
  const boost::json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(text->data(), text->size()) : std::string();
}

}  // namespace atl::client
