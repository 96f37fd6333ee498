// What clients say to an execution that runs: to end, more input, a signal.
#include <csignal>
#include <utility>

#include "control/executions.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

using async::Task;
using model::ExecutionEvent;

namespace {

constexpr std::chrono::seconds kGrace{2};

}  // namespace

Task<Result<void>> Executions::cancel(Caller caller, ExecutionId id) {
  ATOLL_CO_TRY(LiveExecutionPtr execution, co_await live(caller, id));
  if (!execution || execution->cancelled()) co_return Result<void>();  // over, or on its way
  if (execution->try_apply(ExecutionEvent::kCancel)) {
    execution->audit.push_back(audit_row(caller, {.action = model::AuditAction::kExecutionCancelled,
                                                  .session_id = execution->row.session_id,
                                                  .execution_id = id}));
  }
  LiveSessionPtr session = execution->session;
  session->changed.notify_all();
  std::shared_ptr<sandbox::Process> process = execution->process;
  ContextId context = execution->row.context_id;
  if (context.empty()) execution->place->given_up = true;  // it has not got there yet
  // Twice: a shell that is just starting a program waits for it, which has not seen the first.
  for (int i = 0; i < 2; ++i) {
    if (process) {
      (void)co_await process->signal(SIGINT);
    } else if (!context.empty()) {
      (void)co_await session->contexts->interrupt(context, execution->place);
    }
    ATOLL_CO_TRY(model::Execution row, co_await wait(execution, async::deadline_in(kGrace / 2)));
    (void)row;
    if (execution->done()) break;
  }
  if (process) {  // also when it has ended: what it left behind belongs to it
    (void)co_await process->signal(SIGKILL);
  } else if (!context.empty() && execution->place->begun && !execution->place->over) {
    (void)co_await session->contexts->restart(context);
  }
  ATOLL_CO_TRY(model::Execution row, co_await wait(execution, async::deadline_in(kGrace * 2)));
  (void)row;
  co_return Result<void>();
}

Task<Result<void>> Executions::write_stdin(Caller caller, ExecutionId id, std::string bytes,
                                           bool close) {
  ATOLL_CO_TRY(LiveExecutionPtr execution, co_await live(std::move(caller), id));
  while (execution && !execution->process && !execution->done()) {
    co_await execution->changed.wait();
  }
  if (!execution || !execution->process) co_return fail(Code::kConflict, "the execution has ended");
  std::shared_ptr<sandbox::Process> process = execution->process;
  if (!execution->input_open && !bytes.empty())
    co_return fail(Code::kConflict, "the stdin of the execution is closed");
  if (close) execution->input_open = false;
  if (!bytes.empty()) ATOLL_CO_CHECK(co_await process->write_stdin(std::move(bytes)));
  if (close) ATOLL_CO_CHECK(co_await process->close_stdin());
  co_return Result<void>();
}

Task<Result<void>> Executions::signal(Caller caller, ExecutionId id, int number) {
  if (number < 1 || number > 64) {
    co_return fail(Code::kInvalidValue, "a signal is a number from 1 to 64");
  }
  ATOLL_CO_TRY(LiveExecutionPtr execution, co_await live(std::move(caller), id));
  if (!execution || !execution->process) {
    co_return fail(Code::kConflict, "the execution has no running process");
  }
  std::shared_ptr<sandbox::Process> process = execution->process;
  co_return co_await process->signal(number);
}

Task<Result<void>> Executions::resize(Caller caller, ExecutionId id, TerminalSize size) {
  if (size.rows == 0 || size.cols == 0) {
    co_return fail(Code::kInvalidValue, "a terminal has at least one row and one column");
  }
  ATOLL_CO_TRY(LiveExecutionPtr execution, co_await live(std::move(caller), id));
  if (!execution || !execution->process) {
    co_return fail(Code::kConflict, "the execution has no running process");
  }
  if (!execution->program.terminal) co_return fail(Code::kConflict, "it has no terminal");
  std::shared_ptr<sandbox::Process> process = execution->process;
  co_return co_await process->resize({.rows = size.rows, .cols = size.cols});
}

}  // namespace atl::control
