#include "client/api.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "codec/json.hpp"
#include "http/problem.hpp"
#include "http/uri.hpp"

namespace atl::client {

namespace {

using bodies::ExecutionBody;
using bodies::SessionBody;
using bodies::SessionListBody;
using bodies::TemplateBody;
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

std::string secret_path(const std::string& name) {
  return "/secrets/" + http::percent_encode(name);
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

Task<Result<void>> nothing(Task<Result<std::string>> call) {
  ATOLL_CO_TRY([[maybe_unused]] std::string body, co_await std::move(call));
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

Task<Result<std::string>> Api::read(ClientRequest request) {
  async::Deadline deadline = request.deadline;
  ATOLL_CO_TRY(ClientResponse response, co_await open(std::move(request)));
  co_return co_await response.read_body(kMaxBody, deadline);
}

template <typename Body>
Task<Result<Body>> Api::call(ClientRequest request) {
  ATOLL_CO_TRY(std::string text, co_await read(std::move(request)));
  codec::Decoded<Body> body =
      codec::decode<Body>(text, {.ignore_unknown = true, .keep_defaults = true},
                          {.max_bytes = kMaxBody, .max_depth = 128});
  if (body) co_return std::move(*body);
  std::string at = body.error().pointer.empty() ? "" : body.error().pointer + " ";
  co_return fail(Code::kBackend, "cannot read the server's answer (" + at + body.error().detail +
                                     "); is it Atoll, and of this version?");
}

Task<Result<std::unique_ptr<http::WebSocket>>> Api::websocket(std::string target) {
  auto socket = co_await client_.websocket("/api/v1" + target, {}, async::deadline_in(kPatience));
  if (!socket) co_return fail(no_answer(address_, std::move(socket).error()));
  co_return socket;
}

Task<Result<SessionListBody>> Api::list_sessions(SessionFilter filter, std::size_t most) {
  SessionListBody all;
  do {
    std::size_t limit = std::min(kPage, most - all.sessions.size());
    std::string query = query_of(filter, limit, all.next_cursor.value_or(""));
    ATOLL_CO_TRY(SessionListBody page,
                 co_await call<SessionListBody>(request_of(Method::kGet, "/sessions" + query)));
    std::ranges::move(page.sessions, std::back_inserter(all.sessions));
    all.next_cursor = std::move(page.next_cursor);
  } while (all.next_cursor && all.sessions.size() < most);
  co_return all;
}

Task<Result<SessionBody>> Api::create_session(bodies::CreateBody body, bool wait) {
  ClientRequest request =
      with_json(Method::kPost, "/sessions", codec::encode(body), kCreatePatience);
  if (wait) request.headers.add("Prefer", "wait");
  return call<SessionBody>(std::move(request));
}

Task<Result<SessionBody>> Api::get_session(SessionId id) {
  return call<SessionBody>(request_of(Method::kGet, session_path(id)));
}

Task<Result<void>> Api::delete_session(SessionId id) {
  return nothing(read(request_of(Method::kDelete, session_path(id))));
}

Task<Result<ExecutionBody>> Api::execute(SessionId id, bodies::ExecuteBody body) {
  return call<ExecutionBody>(
      with_json(Method::kPost, session_path(id, "/execute"), codec::encode(body)));
}

Task<Result<ExecutionBody>> Api::get_execution(ExecutionId id) {
  return call<ExecutionBody>(request_of(Method::kGet, execution_path(id)));
}

Task<Result<bodies::ExecutionListBody>> Api::list_results(SessionId id, std::size_t most) {
  std::string tail = "/results?output=false&limit=" + std::to_string(most);
  return call<bodies::ExecutionListBody>(request_of(Method::kGet, session_path(id, tail)));
}

Task<Result<void>> Api::cancel_execution(ExecutionId id) {
  return nothing(read(request_of(Method::kDelete, execution_path(id))));
}

Task<Result<void>> Api::write_stdin(ExecutionId id, std::string bytes, bool close) {
  ClientRequest request{.method = Method::kPost,
                        .target = execution_path(id, close ? "/stdin?close=true" : "/stdin"),
                        .body = std::move(bytes)};
  request.headers.add("Content-Type", "application/octet-stream");
  return nothing(read(std::move(request)));
}

Task<Result<bodies::TemplateListBody>> Api::list_templates() {
  return call<bodies::TemplateListBody>(request_of(Method::kGet, "/templates"));
}

Task<Result<TemplateBody>> Api::get_template(std::string id) {
  return call<TemplateBody>(request_of(Method::kGet, template_path(id)));
}

Task<Result<TemplateBody>> Api::create_template(std::string json) {
  return call<TemplateBody>(with_json(Method::kPost, "/templates", std::move(json)));
}

Task<Result<TemplateBody>> Api::replace_template(std::string id, std::string json) {
  return call<TemplateBody>(with_json(Method::kPut, template_path(id), std::move(json)));
}

Task<Result<void>> Api::delete_template(std::string id) {
  return nothing(read(request_of(Method::kDelete, template_path(id))));
}

Task<Result<bodies::SecretListBody>> Api::list_secrets() {
  return call<bodies::SecretListBody>(request_of(Method::kGet, "/secrets"));
}

Task<Result<bodies::TestResultBody>> Api::test_code(SessionId id, bodies::TestBody body) {
  // The server keeps the time of the tests; making a sandbox for them comes on top.
  seconds patience = kCreatePatience + seconds(static_cast<long>(body.timeout.value_or(60)) + 60);
  return call<bodies::TestResultBody>(
      with_json(Method::kPost, session_path(id, "/test"), codec::encode(body), patience));
}

Task<Result<bodies::TenantBody>> Api::get_tenant(std::string id) {
  return call<bodies::TenantBody>(request_of(Method::kGet, "/tenants/" + http::percent_encode(id)));
}

Task<Result<bodies::TenantBody>> Api::put_tenant(std::string id, model::TenantQuotas quotas) {
  return call<bodies::TenantBody>(
      with_json(Method::kPut, "/tenants/" + http::percent_encode(id),
                codec::encode(bodies::PutTenantBody{.quotas = quotas})));
}

Task<Result<bodies::AuditListBody>> Api::list_audit(std::string session, std::uint64_t most) {
  std::string query = "?limit=" + std::to_string(std::min<std::uint64_t>(most, kPage));
  if (!session.empty()) query += "&session_id=" + http::percent_encode(session);
  return call<bodies::AuditListBody>(request_of(Method::kGet, "/audit" + query));
}

Task<Result<bodies::AuditChainBody>> Api::list_audit_chain(std::string chain, std::int64_t after) {
  return call<bodies::AuditChainBody>(request_of(
      Method::kGet,
      "/audit/chain?chain=" + http::percent_encode(chain) + "&after=" + std::to_string(after)));
}

Task<Result<bodies::AuditVerdictBody>> Api::verify_audit() {
  return call<bodies::AuditVerdictBody>(request_of(Method::kGet, "/audit/verify", kCreatePatience));
}

Task<Result<bodies::SecretBody>> Api::put_secret(std::string name, bodies::PutSecretBody body) {
  return call<bodies::SecretBody>(with_json(Method::kPut, secret_path(name), codec::encode(body)));
}

Task<Result<void>> Api::delete_secret(std::string name) {
  return nothing(read(request_of(Method::kDelete, secret_path(name))));
}

Task<Result<bodies::ApprovalListBody>> Api::list_approvals(std::string state, std::size_t most) {
  std::string query = "?state=" + http::percent_encode(state) + "&limit=" + std::to_string(most);
  return call<bodies::ApprovalListBody>(request_of(Method::kGet, "/approvals" + query));
}

Task<Result<bodies::ApprovalBody>> Api::get_approval(std::string id) {
  return call<bodies::ApprovalBody>(
      request_of(Method::kGet, "/approvals/" + http::percent_encode(id)));
}

Task<Result<bodies::ApprovalBody>> Api::decide_approval(std::string id,
                                                        bodies::DecideApprovalBody body) {
  return call<bodies::ApprovalBody>(
      with_json(Method::kPost, "/approvals/" + http::percent_encode(id), codec::encode(body)));
}

Task<Result<bodies::SessionNetworkBody>> Api::get_network(SessionId id) {
  return call<bodies::SessionNetworkBody>(request_of(Method::kGet, session_path(id, "/network")));
}

Task<Result<bodies::SessionNetworkBody>> Api::replace_network(SessionId id, std::string json) {
  return call<bodies::SessionNetworkBody>(
      with_json(Method::kPut, session_path(id, "/network"), std::move(json)));
}

std::string session_path(const SessionId& id, std::string_view tail) {
  return "/sessions/" + http::percent_encode(id.str()) + std::string(tail);
}

std::string execution_path(const ExecutionId& id, std::string_view tail) {
  return "/executions/" + http::percent_encode(id.str()) + std::string(tail);
}

}  // namespace atl::client
