// run_code and run_command.
#include <map>
#include <utility>

#include <boost/describe/class.hpp>

#include "api/mcp/execute.hpp"
#include "api/mcp/tools.hpp"
#include "base/environment_name.hpp"

namespace atl::api::mcp {

namespace {

struct RunCodeArguments {
  std::string code;
  std::optional<std::string> language;
  std::optional<double> timeout;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(RunCodeArguments, (), (code, language, timeout, sandbox_id))

struct RunCommandArguments {
  std::string command;
  std::optional<std::string> working_dir;
  std::optional<double> timeout;
  std::optional<std::map<std::string, std::string>> env;
  std::optional<std::string> stdin_;  // NOLINT(readability-identifier-naming): stdin is a macro
  std::optional<bool> background;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(RunCommandArguments, (),
                      (command, working_dir, timeout, env, stdin_, background, sandbox_id))

Answer<void> check_environment(const std::map<std::string, std::string>& env) {
  if (env.size() > kMaxEntries) return refuse_value("/env", "has too many members");
  for (const auto& [name, value] : env) {
    if (!is_environment_name(name))
      return refuse_value("/env", "has a name that no variable can have");
    ATOLL_CHECK(check_words(value, "/env/" + name, kMaxValue));
  }
  return {};
}

Answer<control::ExecuteRequest> request_of(RunCommandArguments& wanted) {
  ATOLL_CHECK(check_words(wanted.command, "/command", kMaxCommand));
  ATOLL_CHECK(check_words(wanted.working_dir, "/working_dir", kMaxPath));
  control::ExecuteRequest request;
  if (wanted.command.empty()) return refuse_value("/command", "must not be empty");
  if (wanted.env) {
    ATOLL_CHECK(check_environment(*wanted.env));
    request.env = std::move(*wanted.env);
  }
  if (wanted.stdin_ && wanted.stdin_->size() > kMaxStdin) {
    return refuse_value("/stdin", "is too long");
  }
  request.shell_command = std::move(wanted.command);
  request.cwd = std::move(wanted.working_dir).value_or("");
  request.stdin_data = std::move(wanted.stdin_);
  return request;
}

// A result for a verdict that is not a yes; `kAsked` needs none.
ToolResult refused(Verdict verdict) {
  return rejected_result(verdict == Verdict::kCannotAsk
                             ? "This needs the approval of a person, and this client cannot ask "
                               "one (elicitation). The operator of the server can allow the level "
                               "or have it asked for elsewhere: policy.high, policy.critical"
                             : "The user rejected it");
}

Task<Answer<ToolResult>> start_in_background(CallPtr call, SessionId session,
                                             control::ExecuteRequest request) {
  request.stdin_open = true;
  ATOLL_CO_TRY(control::Executions::Executed executed,
               co_await call->control().executions().execute(call->caller, std::move(session),
                                                             std::move(request), std::nullopt));
  std::string id = executed.value.id.str();
  ToolResult result{.summary = "Started in the background as " + id,
                    .text = "Started. process_id=" + id + ": read it with process_poll."};
  result.data = {{"sandbox_id", executed.value.session_id.str()},
                 {"process_id", id},
                 {"state", codec::enum_name(executed.value.state)}};
  co_return result;
}

}  // namespace

Task<Answer<ToolResult>> run_code(CallPtr call, object arguments) {
  ATOLL_CO_TRY(RunCodeArguments wanted, read_arguments<RunCodeArguments>(arguments));
  if (wanted.code.size() > kMaxCode) co_return refuse_value("/code", "is too long");
  ATOLL_CO_CHECK(check_words(wanted.code, "/code", kMaxCode));
  ATOLL_CO_CHECK(check_words(wanted.language, "/language", kMaxName));
  ATOLL_CO_TRY(double seconds,
               timeout_or(*call, wanted.timeout, call->control().executions().limits().code_time));
  control::ExecuteRequest request;
  request.code = std::move(wanted.code);
  request.language = std::move(wanted.language).value_or("python");
  request.context = "default";
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  Verdict verdict = co_await approve(call, target.id, &request);
  if (verdict != Verdict::kApproved) co_return refused(verdict);
  ATOLL_CO_TRY(model::Execution row,
               co_await execute_and_wait(call, target.id, std::move(request), seconds));
  ATOLL_CO_TRY(ToolResult result,
               co_await execution_result(call, &row, {.seconds = seconds, .with_results = true}));
  result.notice = std::move(target.notice);
  co_return result;
}

Task<Answer<ToolResult>> run_command(CallPtr call, object arguments) {
  ATOLL_CO_TRY(RunCommandArguments wanted, read_arguments<RunCommandArguments>(arguments));
  ATOLL_CO_TRY(control::ExecuteRequest request, request_of(wanted));
  const control::ExecutionLimits& limits = call->control().executions().limits();
  bool background = wanted.background.value_or(false);
  if (background && request.stdin_data) {
    co_return refuse_field("/stdin", "is not for commands in the background: use process_input");
  }
  ATOLL_CO_TRY(double seconds, timeout_or(*call, wanted.timeout,
                                          background ? limits.longest_time : limits.command_time));
  request.timeout = seconds;
  ATOLL_CO_TRY(Target target, co_await target_of(call, std::move(wanted.sandbox_id)));
  Verdict verdict = co_await approve(call, target.id, &request);
  if (verdict != Verdict::kApproved) co_return refused(verdict);
  ToolResult result;
  if (background) {
    ATOLL_CO_TRY(result, co_await start_in_background(call, target.id, std::move(request)));
  } else {
    ATOLL_CO_TRY(model::Execution row,
                 co_await execute_and_wait(call, target.id, std::move(request), seconds));
    ATOLL_CO_TRY(result, co_await execution_result(call, &row, {.seconds = seconds}));
  }
  result.notice = std::move(target.notice);
  co_return result;
}

}  // namespace atl::api::mcp
