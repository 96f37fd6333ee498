// /command of execd: foreground as a stream, background with status and logs, interrupts; /ping.
#include <utility>

#include <boost/describe/class.hpp>

#include "api/common/limits.hpp"
#include "api/common/output_log.hpp"
#include "api/common/text.hpp"
#include "api/opensandbox/event_stream.hpp"
#include "api/opensandbox/sandbox_view.hpp"
#include "base/environment_name.hpp"

namespace atl::api::opensandbox {

namespace {

struct CommandBody {
  std::optional<std::string> command;
  std::optional<std::vector<std::string>> argv;
  std::optional<std::string> cwd;
  std::optional<bool> background;
  std::optional<std::int64_t> timeout;  // milliseconds
  std::optional<std::int64_t> uid;
  std::optional<std::int64_t> gid;
  std::optional<StringMap> envs;
};
BOOST_DESCRIBE_STRUCT(CommandBody, (), (command, argv, cwd, background, timeout, uid, gid, envs))

// Variables that the client has set for all commands, then bash where there is one, else sh.
constexpr const char* kStart =
    R"sh(if [ -s "$EXECD_ENVS" ]; then set -a; . "$EXECD_ENVS"; set +a; fi
if [ -x /bin/bash ]; then exec /bin/bash -c "$1"; fi
exec /bin/sh -c "$1")sh";
constexpr const char* kStartArgv =
    R"sh(if [ -s "$EXECD_ENVS" ]; then set -a; . "$EXECD_ENVS"; set +a; fi
exec "$@")sh";

Answer<void> take_program(CommandBody& body, control::ExecuteRequest& request) {
  if (body.command.has_value() == body.argv.has_value()) {
    return refuse_field("/command", "or argv is required, and not both");
  }
  if (body.command) {
    if (trim(*body.command).empty()) return refuse_value("/command", "must not be empty");
    if (body.command->size() > kMaxCommand || body.command->find('\0') != std::string::npos) {
      return refuse_value("/command", "is too long, or has a NUL");
    }
    request.shell_command = std::move(*body.command);
    request.shell_start = kStart;
    return {};
  }
  std::size_t bytes = 0;
  for (const std::string& word : *body.argv) {
    bytes += word.size();
    if (word.size() > kMaxCommand || word.find('\0') != word.npos) bytes = SIZE_MAX / 2;
  }
  if (body.argv->empty() || body.argv->size() > kMaxArguments || bytes > kMaxArgumentBytes) {
    return refuse_value("/argv", "must be a program and its arguments");
  }
  request.argv = {"/bin/sh", "-c", kStartArgv, "sh"};
  for (std::string& word : *body.argv) request.argv.push_back(std::move(word));
  return {};
}

Answer<control::ExecuteRequest> to_request(CommandBody body) {
  control::ExecuteRequest request;
  ATOLL_CHECK(take_program(body, request));
  if (body.uid || body.gid) {
    return refuse(501, "not_supported", "uid and gid: programs of a sandbox have one user here");
  }
  request.cwd = std::move(body.cwd).value_or("");
  if (request.cwd.size() > kMaxPath || request.cwd.find('\0') != std::string::npos) {
    return refuse_value("/cwd", "is too long, or has a NUL");
  }
  request.env = std::move(body.envs).value_or(StringMap());
  if (request.env.size() > kMaxEntries) return refuse_value("/envs", "has too many members");
  for (const auto& [name, value] : request.env) {
    if (!is_environment_name(name) || !is_environment_value(value) || value.size() > kMaxValue) {
      return refuse_value("/envs/" + name.substr(0, kMaxName), "is not a valid variable");
    }
  }
  ATOLL_TRY(request.timeout, seconds_of(body.timeout));
  return request;
}

Task<Answer<void>> run(Call call) {
  ATOLL_CO_TRY(CommandBody body, co_await read_json<CommandBody>(call));
  bool background = body.background.value_or(false);
  ATOLL_CO_TRY(control::ExecuteRequest request, to_request(std::move(body)));
  co_return co_await run_and_stream(call, std::move(request), EventText::Form::kLines, background);
}

Task<Answer<http::Response>> interrupt(Call call) {
  ATOLL_CO_TRY(model::Execution row,
               co_await find_execution(call, std::string(call.request().query_value("id"))));
  if (!model::is_final(row.state)) {
    ATOLL_CO_CHECK(co_await call.control().executions().cancel(call.caller, row.id));
  }
  co_return empty_response(200);
}

// The command as it was given.
std::string content_of(const model::Execution& row) {
  boost::json::value request = parsed_or_null(row.request_json);
  const object* members = request.if_object();
  const auto* command = members != nullptr ? members->if_contains("command") : nullptr;
  if (command == nullptr) return {};
  if (const auto* text = command->if_string()) return {text->data(), text->size()};
  return codec::serialize(*command);
}

Task<Answer<http::Response>> status(Call call) {
  ATOLL_CO_TRY(model::Execution row,
               co_await find_execution(call, call.request().capture("command")));
  bool running = !model::is_final(row.state);
  object view{{"id", row.id.str()},
              {"content", content_of(row)},
              {"running", running},
              {"started_at", rfc3339(row.started_at.value_or(row.created_at))}};
  if (!running) {
    bool timed_out = row.state == model::ExecutionState::kTimedOut;
    view["exit_code"] = timed_out ? -1 : row.exit_code.value_or(-1);
    view["finished_at"] = rfc3339(row.ended_at.value_or(row.created_at));
    std::string why = timed_out ? "the time is up" : row.error_message;
    if (!why.empty()) view["error"] = json_text(why);
  }
  co_return json_response(200, view);
}

Task<Answer<http::Response>> logs(Call call) {
  ATOLL_CO_TRY(std::uint64_t cursor, query_number(call, "cursor", 0, 0, UINT64_MAX / 2));
  ATOLL_CO_TRY(model::Execution row,
               co_await find_execution(call, call.request().capture("command")));
  ATOLL_CO_TRY(LogPiece piece, co_await read_log(&call.shared->pool, &row, cursor, kMaxLogPiece));
  http::Response response{.status = 200, .body = std::move(piece.bytes)};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("EXECD-COMMANDS-TAIL-CURSOR", std::to_string(piece.next));
  co_return response;
}

// A sandbox answers once its guest does.
Task<Answer<http::Response>> ping(Call call) {
  ATOLL_CO_CHECK(co_await call.control().sessions().live(call.caller, call.session_id()));
  co_return empty_response(200);
}

}  // namespace

void add_commands(Routes& routes) {
  routes.execd(Method::kGet, "/ping", "ping", Access::kReader, ping);
  routes.execd(Method::kPost, "/command", "run_command", Access::kWriter, run);
  routes.execd(Method::kDelete, "/command", "interrupt_command", Access::kWriter, interrupt);
  routes.execd(Method::kGet, "/command/status/{command}", "command_status", Access::kReader,
               status);
  routes.execd(Method::kGet, "/command/{command}/logs", "command_logs", Access::kReader, logs);
}

}  // namespace atl::api::opensandbox
