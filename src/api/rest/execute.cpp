#include "api/rest/execute.hpp"

#include <cmath>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/execution_stream.hpp"
#include "base/fault.hpp"

namespace atl::api::rest {

namespace {

using control::Executions;
using model::MadeState;

// Somebody who takes JSON as well gets JSON.
bool wants_text(const http::Headers& headers) {
  return accepts(headers, "text/plain") && !accepts(headers, "application/json");
}

Task<Answer<http::Response>> text_response(Call call, model::Execution row) {
  http::Response response{.status = 200};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  ATOLL_CO_TRY(response.body, co_await execution_text(call, std::move(row)));
  co_return response;
}

Task<Answer<void>> respond(Call call, http::Response response) {
  fault::here("answer.ready");
  (void)co_await call.exchange->respond(std::move(response));
  fault::here("answer.sent");
  co_return Answer<void>();  // an Error was a client that went away
}

Answer<void> take_command(const boost::json::value& command, control::ExecuteRequest& request) {
  if (const auto* text = command.if_string()) {
    if (text->empty()) return refuse_value("/command", "must not be empty");
    if (text->size() > kMaxCommand) return refuse_value("/command", "is too long");
    request.shell_command.assign(text->data(), text->size());
    return {};
  }
  const auto* list = command.if_array();
  if (list == nullptr) return refuse_field("/command", "must be a string or a list of strings");
  if (list->empty()) return refuse_value("/command", "must not be empty");
  if (list->size() > kMaxArguments) return refuse_value("/command", "has too many arguments");
  std::size_t bytes = 0;
  for (const boost::json::value& item : *list) {
    std::string at = "/command/" + std::to_string(request.argv.size());
    const auto* word = item.if_string();
    if (word == nullptr) return refuse_field(at, "must be a string");
    bytes += word->size();
    if (word->size() > kMaxCommand || bytes > kMaxArgumentBytes) {
      return refuse_value(at, "is too long");
    }
    request.argv.emplace_back(word->data(), word->size());
  }
  return {};
}

}  // namespace

bool wants_events(const http::Headers& headers) { return accepts(headers, "text/event-stream"); }

Answer<control::ExecuteRequest> to_request(ExecuteBody body) {
  control::ExecuteRequest request;
  if (body.code && body.command) {
    return refuse_field("/command", "is mutually exclusive with `code`");
  }
  if (!body.code && !body.command) return refuse_field("/code", "or a command is required");
  ATOLL_CHECK(check_text(body.code, "/code", kMaxCode));
  ATOLL_CHECK(check_text(body.language, "/language", kMaxName));
  ATOLL_CHECK(check_text(body.context, "/context", kMaxName));
  ATOLL_CHECK(check_text(body.cwd, "/cwd", kMaxPath));
  ATOLL_CHECK(check_text(body.working_dir, "/working_dir", kMaxPath));
  ATOLL_CHECK(check_environment(body.env, "/env"));
  if (body.timeout && (!std::isfinite(*body.timeout) || *body.timeout < 0 ||
                       *body.timeout > static_cast<double>(kMaxSeconds))) {
    return refuse_value("/timeout", "must be a number of seconds; 0 is no limit");
  }
  if (body.max_output_bytes && *body.max_output_bytes > kMaxOutput) {
    return refuse_value("/max_output_bytes", "is too large");
  }
  if (body.command) ATOLL_CHECK(take_command(*body.command, request));
  ATOLL_TRY(request.stdin_data,
            text_or_base64(std::move(body.stdin_), std::move(body.stdin_b64), "/stdin"));
  if (body.cwd && body.working_dir && body.cwd != body.working_dir) {
    return refuse_field("/working_dir", "differs from `cwd`; give one of them");
  }
  take_given(body.working_dir, std::move(body.cwd));
  request.code = std::move(body.code);
  request.language = std::move(body.language).value_or("");
  request.context = std::move(body.context).value_or("");
  request.cwd = std::move(body.working_dir).value_or("");
  request.env = std::move(body.env).value_or(StringMap());
  request.stdin_open = body.stdin_open;
  request.timeout = body.timeout;
  request.max_output_bytes = body.max_output_bytes;
  request.track_files = body.track_files;
  return request;
}

Task<Answer<void>> respond_executed(Call call, Executions::Executed executed, ResultAnswer how) {
  http::Headers headers = std::move(how.headers);
  if (executed.replayed) headers.set("Idempotency-Replayed", "true");
  bool ended = executed.state != MadeState::kAccepted;
  if (ended && !how.as_text) {
    co_return co_await respond_execution(call, std::move(executed.value), std::move(headers));
  }
  headers.set("Location", "/api/v1/executions/" + executed.value.id.str());
  http::Response response;
  if (ended) {
    ATOLL_CO_TRY(response, co_await text_response(call, std::move(executed.value)));
  } else {
    response = json_response(202, execution_view(executed.value, false));
  }
  for (const auto& [name, value] : headers) response.headers.set(name, value);
  co_return co_await respond(call, std::move(response));
}

Task<Answer<void>> execute_as_asked(Call call, SessionId session, control::ExecuteRequest request,
                                    std::string text, ExecuteAnswer asked) {
  ATOLL_CO_TRY(control::Once once, co_await begin_once(call, std::move(text)));
  std::optional<async::Deadline> until;
  if (asked.prefer.wait && !asked.events) {
    until = async::deadline_in(asked.prefer.seconds.value_or(kMaxWait));
  }
  ATOLL_CO_TRY(Executions::Executed executed,
               co_await call.control().executions().execute(
                   call.caller, std::move(session), std::move(request), until, std::move(once)));
  if (asked.events) co_return co_await stream_by_id(call, executed.value.id, std::nullopt);
  ResultAnswer how{.as_text = wants_text(call.request().headers)};
  if (until && executed.state == MadeState::kDone) how.headers.set("Preference-Applied", "wait");
  co_return co_await respond_executed(call, std::move(executed), std::move(how));
}

namespace {

Task<Answer<void>> execute_in(Call call, SessionId session, ExecuteBody body, std::string text) {
  ATOLL_CO_TRY(control::ExecuteRequest request, to_request(std::move(body)));
  const http::Headers& headers = call.request().headers;
  co_return co_await execute_as_asked(
      call, std::move(session), std::move(request), std::move(text),
      {.prefer = parse_prefer(headers), .events = wants_events(headers)});
}

}  // namespace

Task<Answer<void>> execute(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call));
  ATOLL_CO_TRY(ExecuteBody body, decode_body<ExecuteBody>(text));
  co_return co_await execute_in(call, call.session_id(), std::move(body), std::move(text));
}

// The session stands in the body.
Task<Answer<void>> execute_by_body(Call call) {
  ATOLL_CO_TRY(std::string text, co_await read_json_text(call));
  ATOLL_CO_TRY(bodies::ExecuteInSessionBody body, decode_body<bodies::ExecuteInSessionBody>(text));
  if (!body.session_id) co_return refuse_field("/session_id", "is required");
  ATOLL_CO_CHECK(check_text(body.session_id, "/session_id", kMaxName));
  SessionId session(*body.session_id);
  co_return co_await execute_in(call, std::move(session), std::move(body), std::move(text));
}

}  // namespace atl::api::rest
