// process_poll, process_input and process_kill.
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <boost/describe/class.hpp>

#include "api/mcp/execute.hpp"
#include "api/mcp/tools.hpp"
#include "async/deadline.hpp"

namespace atl::api::mcp {

namespace {

using control::ExecutionFeed;
using control::SpoolEvent;
using control::SpoolKind;

constexpr double kLongestPoll = 300;
constexpr std::chrono::milliseconds kStep{500};  // of a wait that its client may give up

struct PollArguments {
  std::string process_id;
  std::optional<std::uint64_t> stdout_offset;
  std::optional<std::uint64_t> stderr_offset;
  std::optional<double> wait_seconds;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(PollArguments, (),
                      (process_id, stdout_offset, stderr_offset, wait_seconds, sandbox_id))

struct InputArguments {
  std::string process_id;
  std::optional<std::string> text;
  std::optional<bool> end;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(InputArguments, (), (process_id, text, end, sandbox_id))

struct KillArguments {
  std::string process_id;
  std::optional<std::string> signal;
  std::optional<std::string> sandbox_id;
};
BOOST_DESCRIBE_STRUCT(KillArguments, (), (process_id, signal, sandbox_id))

// The execution, and that it is in the sandbox that the client names.
Task<Answer<model::Execution>> find_process(CallPtr call, std::string id,
                                            std::optional<std::string> sandbox_id) {
  ATOLL_CO_CHECK(check_words(id, "/process_id", kMaxName));
  ATOLL_CO_TRY(model::Execution row,
               co_await call->control().executions().get(call->caller, ExecutionId(id)));
  if (sandbox_id && *sandbox_id != row.session_id.str()) {
    co_return refuse(Code::kNotFound, "there is no process " + id + " in this sandbox");
  }
  co_return row;
}

std::uint64_t size_of(const model::Output& output, model::LargeOutput::Part part) {
  if (output.large) return output.large->size(part);
  return part == model::LargeOutput::Part::kStdout ? output.stdout_bytes.size()
                                                   : output.stderr_bytes.size();
}

bool has_news(const model::Execution& row, const PollArguments& wanted) {
  using Part = model::LargeOutput::Part;
  return model::is_final(row.state) ||
         size_of(row.output, Part::kStdout) > wanted.stdout_offset.value_or(0) ||
         size_of(row.output, Part::kStderr) > wanted.stderr_offset.value_or(0);
}

// Until it has printed more than the client has seen, or has ended, or the deadline.
Task<Result<void>> wait_for_news(CallPtr call, ExecutionId id, const PollArguments* wanted,
                                 async::Deadline deadline) {
  ATOLL_CO_TRY(std::unique_ptr<ExecutionFeed> feed,
               co_await call->control().executions().follow(call->caller, std::move(id), 0));
  std::uint64_t out = 0;
  std::uint64_t err = 0;
  while (feed->live() && !call->over() && std::chrono::steady_clock::now() < deadline) {
    async::Deadline step = std::min(deadline, async::deadline_in(kStep));
    Result<std::optional<const SpoolEvent*>> event = co_await async::with_deadline(
        feed->next(), step, Code::kTransferTimeout, "nothing printed");
    if (!event && event.error().code() == Code::kTransferTimeout) continue;
    if (!event || !*event) break;
    const SpoolEvent& one = ***event;
    if (one.kind == SpoolKind::kStdout) out += one.data.size();
    if (one.kind == SpoolKind::kStderr) err += one.data.size();
    if (out > wanted->stdout_offset.value_or(0) || err > wanted->stderr_offset.value_or(0)) break;
  }
  co_return Result<void>();
}

std::optional<int> signal_number(std::string_view name) {
  struct Named {
    std::string_view name;
    int number;
  };
  static constexpr std::array kSignals{Named{"INT", SIGINT},   Named{"TERM", SIGTERM},
                                       Named{"KILL", SIGKILL}, Named{"HUP", SIGHUP},
                                       Named{"USR1", SIGUSR1}, Named{"USR2", SIGUSR2},
                                       Named{"STOP", SIGSTOP}, Named{"CONT", SIGCONT}};
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (const Named& one : kSignals) {
    if (one.name == name) return one.number;
  }
  return std::nullopt;
}

}  // namespace

Task<Answer<ToolResult>> process_poll(CallPtr call, object arguments) {
  ATOLL_CO_TRY(PollArguments wanted, read_arguments<PollArguments>(arguments));
  double wait = wanted.wait_seconds.value_or(0);
  if (!std::isfinite(wait) || wait < 0 || wait > kLongestPoll) {
    co_return refuse_value("/wait_seconds", "must be from 0 to 300");
  }
  ATOLL_CO_TRY(model::Execution row,
               co_await find_process(call, wanted.process_id, wanted.sandbox_id));
  if (wait > 0 && !has_news(row, wanted)) {
    auto milliseconds = std::chrono::milliseconds(static_cast<std::int64_t>(wait * 1000));
    ATOLL_CO_CHECK(co_await wait_for_news(call, row.id, &wanted, async::deadline_in(milliseconds)));
    ATOLL_CO_TRY(row, co_await find_process(call, wanted.process_id, wanted.sandbox_id));
  }
  ATOLL_CO_TRY(ToolResult result,
               co_await execution_result(call, &row,
                                         {.out_from = wanted.stdout_offset.value_or(0),
                                          .err_from = wanted.stderr_offset.value_or(0)}));
  // That the process failed is what was asked for: the question was answered.
  result.status = ToolResult::Status::kSuccess;
  result.error.reset();
  co_return result;
}

Task<Answer<ToolResult>> process_input(CallPtr call, object arguments) {
  ATOLL_CO_TRY(InputArguments wanted, read_arguments<InputArguments>(arguments));
  std::string text = std::move(wanted.text).value_or("");
  if (text.size() > kMaxStdin) co_return refuse_value("/text", "is too long");
  ATOLL_CO_TRY(model::Execution row,
               co_await find_process(call, wanted.process_id, wanted.sandbox_id));
  std::size_t bytes = text.size();
  bool end = wanted.end.value_or(false);
  ATOLL_CO_CHECK(co_await call->control().executions().write_stdin(call->caller, row.id,
                                                                   std::move(text), end));
  ToolResult result{.summary = "Wrote " + std::to_string(bytes) + " bytes" +
                               (end ? " and closed the input" : "")};
  result.data = {{"process_id", row.id.str()}, {"bytes", bytes}};
  result.text = result.summary;
  co_return result;
}

Task<Answer<ToolResult>> process_kill(CallPtr call, object arguments) {
  ATOLL_CO_TRY(KillArguments wanted, read_arguments<KillArguments>(arguments));
  ATOLL_CO_TRY(model::Execution row,
               co_await find_process(call, wanted.process_id, wanted.sandbox_id));
  control::Executions& executions = call->control().executions();
  ToolResult result;
  if (wanted.signal) {
    std::optional<int> number = signal_number(*wanted.signal);
    if (!number)
      co_return refuse_value("/signal", "must be INT, TERM, KILL, HUP, USR1, USR2, STOP or CONT");
    ATOLL_CO_CHECK(co_await executions.signal(call->caller, row.id, *number));
    result.summary = "Sent the signal " + *wanted.signal;
  } else {
    if (!model::is_final(row.state)) {
      ATOLL_CO_CHECK(co_await executions.cancel(call->caller, row.id));
    }
    result.summary = "The process has ended";
  }
  ATOLL_CO_TRY(row, co_await executions.get(call->caller, row.id));
  result.data = {{"process_id", row.id.str()}, {"state", codec::enum_name(row.state)}};
  result.text = result.summary;
  co_return result;
}

}  // namespace atl::api::mcp
