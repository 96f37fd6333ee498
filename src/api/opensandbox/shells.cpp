// /session of execd: bash sessions, whose folder and variables live from one run to the next.
#include <utility>

#include <boost/describe/class.hpp>

#include "api/common/limits.hpp"
#include "api/opensandbox/bodies.hpp"
#include "api/opensandbox/event_stream.hpp"

namespace atl::api::opensandbox {

namespace {

struct OpenBody {
  std::optional<std::string> cwd;
};
BOOST_DESCRIBE_STRUCT(OpenBody, (), (cwd))

struct RunBody {
  std::optional<std::string> command;
  std::optional<std::string> cwd;
  std::optional<std::int64_t> timeout;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(RunBody, (), (command, cwd, timeout))

Answer<void> check_cwd(const std::optional<std::string>& cwd) {
  if (!cwd || (cwd->size() <= kMaxPath && cwd->find('\0') == std::string::npos)) return {};
  return refuse_value("/cwd", "is too long, or has a NUL");
}

std::string quoted(std::string_view word) {
  std::string text = "'";
  for (char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

Task<Answer<http::Response>> open(Call call) {
  ATOLL_CO_TRY(OpenBody body, co_await read_json<OpenBody>(call));
  ATOLL_CO_CHECK(check_cwd(body.cwd));
  control::OpenContextRequest request{.language = "bash", .cwd = std::move(body.cwd).value_or("")};
  ATOLL_CO_TRY(control::Outcome<control::ContextView> opened,
               co_await call.control().executions().open_context(call.caller, call.session_id(),
                                                                 std::move(request)));
  co_return json_response(200, object{{"session_id", opened.value.id.str()}});
}

Task<Answer<void>> run(Call call) {
  ATOLL_CO_TRY(RunBody body, co_await read_json<RunBody>(call));
  ATOLL_CO_CHECK(check_cwd(body.cwd));
  std::string command = std::move(body.command).value_or("");
  if (command.empty()) co_return refuse_value("/command", "must not be empty");
  if (command.size() > kMaxCode || command.find('\0') != command.npos) {
    co_return refuse_value("/command", "is too long, or has a NUL");
  }
  control::ExecuteRequest request;
  ATOLL_CO_TRY(request.timeout, seconds_of(body.timeout));
  std::string before = R"sh([ -s "$EXECD_ENVS" ] && { set -a; . "$EXECD_ENVS"; set +a; })sh";
  if (body.cwd && !body.cwd->empty()) before += "; cd -- " + quoted(*body.cwd) + " || false";
  request.code = before + "\n" + command;
  request.language = "bash";
  request.context = call.request().capture("shell");
  if (request.context.size() > kMaxName) co_return refuse(Code::kNotFound, "no such session");
  co_return co_await run_and_stream(call, std::move(request), EventText::Form::kLines);
}

Task<Answer<http::Response>> close(Call call) {
  ATOLL_CO_CHECK(co_await call.control().executions().close_context(
      call.caller, call.session_id(), ContextId(call.request().capture("shell"))));
  co_return empty_response(200);
}

}  // namespace

void add_shells(Routes& routes) {
  routes.execd(Method::kPost, "/session", "open_shell", Access::kWriter, open);
  routes.execd(Method::kPost, "/session/{shell}/run", "run_in_shell", Access::kWriter, run);
  routes.execd(Method::kDelete, "/session/{shell}", "close_shell", Access::kWriter, close);
}

}  // namespace atl::api::opensandbox
