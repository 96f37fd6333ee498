#include "cli/run/run_session.hpp"

#include <signal.h>

#include "async/deadline.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/run/run_state.hpp"

namespace atl::cli {
namespace {

// The guest ends a program at its time-out; this is how long it may take to say so.
constexpr std::chrono::seconds kTimeoutGrace{10};

// Passes output on until the program has ended.
async::Task<Result<void>> follow(RunState* state) {
  while (true) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await state->process->read());
    bool last = chunk.stream == sandbox::OutputStream::kEnd;
    ATOLL_CO_CHECK(co_await state->output.take(std::move(chunk)));
    if (last) break;
  }
  ATOLL_CO_TRY(state->report.status, co_await state->process->wait());
  co_return Result<void>{};
}

async::Task<void> watch_time(RunState* state, std::chrono::milliseconds timeout) {
  co_await async::sleep_for(timeout);
  co_await give_up_on_stuck_output(state);
}

async::Task<Result<void>> run_program(async::Executor executor, RunState* state) {
  std::chrono::milliseconds timeout = state->plan.request.timeout;
  ATOLL_CO_CHECK(co_await bring_up(state));
  if (state->plan.request.terminal && state->plan.pass_stdin) {
    ATOLL_CO_TRY(RawTerminal raw, RawTerminal::enter());
    state->terminal.emplace(std::move(raw));
  }
  ATOLL_CO_TRY(state->process, co_await state->sandbox->spawn(std::move(state->plan.request)));
  if (state->plan.pass_stdin) state->helpers.spawn(pump_stdin(executor, state));
  if (timeout.count() != 0) state->helpers.spawn(watch_time(state, timeout));
  async::Deadline deadline =
      timeout.count() == 0 ? async::kNoDeadline : async::deadline_in(timeout + kTimeoutGrace);
  Result<void> followed = co_await async::with_deadline(
      follow(state), deadline, Code::kExecTimeout, "the program did not end after its time-out");
  state->report.status.timed_out |= !followed && followed.error().code() == Code::kExecTimeout;
  co_return followed;
}

// Whoever names a file of the host, and no language, may have meant to run it.
Error with_script_hint(const Error& error) {
  bool not_run =
      error.code() == Code::kProgramNotFound || error.code() == Code::kProgramNotExecutable;
  if (!not_run) return error;
  return {error.code(),
          error.message() + " The host's file of that name is run as a script with -l LANGUAGE.",
          error.errno_value()};
}

async::Task<void> work(async::Executor executor, RunState* state) {
  Result<void> done = co_await run_program(std::move(executor), state);
  if (done) co_return;
  state->report.error =
      state->plan.may_be_script ? with_script_hint(done.error()) : std::move(done).error();
}

void conclude(RunState& state) {
  RunReport& report = state.report;
  report.truncated = state.output.truncated();
  report.stdout_bytes = state.output.kept_stdout();
  report.stderr_bytes = state.output.kept_stderr();
  if (state.interrupted_by != 0) {
    report.error.reset();
    report.exit_code = 128 + state.interrupted_by;
  } else if (state.output.reader_gone()) {
    report.exit_code = 128 + SIGPIPE;
    report.error.reset();
  } else {
    report.exit_code =
        report.error ? exit_status_of(report.error->code()) : exit_status_of(report.status);
  }
}

}  // namespace

async::Task<RunReport> run_session(async::Executor executor, sandbox::Backend* backend,
                                   RunPlan* plan) {
  RunState state(executor, *backend, *plan);
  Result<async::Signals> signals =
      plan->request.terminal
          ? async::Signals::listen(
                executor, {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP})
          : async::Signals::listen(executor, {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2});
  if (signals) {
    state.helpers.spawn(forward_signals(&*signals, &state));
    state.work.spawn(work(executor, &state));
    co_await state.work.wait_idle();
    co_await state.helpers.join();
    state.terminal.reset();
    say(*plan, "the program ended; taking the sandbox down");
    state.process.reset();
    co_await take_down(&state);
  } else {
    state.report.error = std::move(signals).error();
  }
  conclude(state);
  if (state.report.truncated && !plan->quiet && plan->output == OutputFormat::kText) {
    print_warning("output was cut off at --max-output", plan->color);
  }
  co_return std::move(state.report);
}

}  // namespace atl::cli
