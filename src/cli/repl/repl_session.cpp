#include "cli/repl/repl_session.hpp"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "base/write_all.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/json.hpp"
#include "cli/repl/repl_state.hpp"
#include "cli/run/limits.hpp"

namespace atl::cli {

using async::Task;

namespace {

int exit_code_of(const contexts::RunResult& result) {
  if (result.timed_out) return kExitTimeout;
  if (result.crashed && result.crashed->oom) return kExitOom;
  return result.exit_code;
}

// Output that cannot be written ends the session, whatever the code still does; what nobody took
// until the cell's time was up is lost with the cell.
Task<Result<void>> print(ReplState* state, const contexts::RunEvent* event) {
  Result<void> printed = co_await state->printer.event(event);
  if (!printed && printed.error().code() == Code::kCancelled) {
    state->cut_off = true;
  } else if (!printed) {
    state->run.report.error = printed.error();
    state->run.work.close();
  }
  co_return printed;
}

// Code that no interpreter of this language can be given.
bool is_about_the_cell(const Error& error) {
  return error.code() == Code::kInvalidArgument || error.code() == Code::kTooLarge;
}

// An Error ends the session.
Task<Result<void>> run_cell(ReplState* state, std::string code) {
  ++state->cell;
  state->interrupts = 0;
  state->in_cell = true;
  state->printer.begin_cell(state->cell);
  contexts::OnEvent on_event = [state](const contexts::RunEvent* event) {
    return print(state, event);
  };
  contexts::RunRequest request{.code = std::move(code),
                               .timeout = state->plan.timeout,
                               .max_output_bytes = 0,
                               .on_event = std::move(on_event)};
  Result<contexts::RunResult> result = co_await state->context->run(std::move(request));
  state->in_cell = false;
  if (!result) {
    if (!is_about_the_cell(result.error())) co_return fail(std::move(result).error());
    state->exit_code = exit_status_of(result.error().code());
    print_error(result.error(), state->options.color, state->options.verbose);
    co_return co_await state->printer.failure(&result.error());
  }
  if (std::exchange(state->cut_off, false) && !state->options.quiet) {
    print_warning("nobody read the output before the cell's time was up; the rest is lost",
                  state->options.color);
  }
  ATOLL_CO_CHECK(co_await state->printer.end_cell(&*result));
  int exit_code = exit_code_of(*result);
  if (exit_code != 0) state->exit_code = exit_code;
  co_return Result<void>();
}

Task<Result<void>> run_cells(async::Executor executor, ReplState* state) {
  ATOLL_CO_CHECK(co_await bring_up(&state->run));
  RunPlan& plan = state->plan.run;
  ATOLL_CO_TRY(state->context, co_await contexts::Context::open(
                                   state->run.sandbox.get(), {.language = state->plan.language,
                                                              .cwd = std::move(plan.request.cwd),
                                                              .env = std::move(plan.request.env)}));
  say(plan, std::string(contexts::language_name(state->plan.language)) + " " +
                state->context->version() + " is ready");
  CellInput input(std::move(executor), state);
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> cell, co_await input.next());
    if (!cell) co_return Result<void>();
    ATOLL_CO_CHECK(co_await run_cell(state, std::move(*cell)));
  }
}

Task<void> work(async::Executor executor, ReplState* state) {
  Result<void> done = co_await run_cells(std::move(executor), state);
  if (!done) state->run.report.error = std::move(done).error();
}

Task<int> conclude(ReplState* state) {
  RunState& run = state->run;
  if (run.interrupted_by != 0) co_return 128 + run.interrupted_by;
  if (run.output.reader_gone()) co_return 128 + SIGPIPE;
  if (run.report.error) {
    static_cast<void>(co_await state->printer.failure(&*run.report.error));
    print_error(*run.report.error, state->options.color, state->options.verbose);
    co_return exit_status_of(run.report.error->code());
  }
  co_return state->on_terminal ? 0 : state->exit_code;
}

}  // namespace

Result<ReplPlan> make_repl_plan(const ReplOptions& options, const sandbox::BackendEntry& backend) {
  ReplPlan plan;
  if (!options.language.empty()) {
    ATOLL_TRY(plan.language, contexts::language_of(options.language));
  }
  ATOLL_TRY(plan.run, make_sandbox_plan(options, backend));
  if (options.timeout) {
    ATOLL_TRY(plan.timeout, check_timeout(options, true));
  }
  if (!options.save.empty()) {
    ATOLL_TRY(SavedFiles files, SavedFiles::open(options.save));
    plan.files.emplace(std::move(files));
  }
  return plan;
}

Task<int> repl_session(async::Executor executor, sandbox::Backend* backend, ReplPlan* plan,
                       const ReplOptions* options) {
  if (plan->files) plan->files->attach(executor);
  ReplState state(executor, *backend, *plan, *options);
  Result<async::Signals> signals =
      async::Signals::listen(executor, {SIGINT, SIGTERM, SIGHUP, SIGQUIT});
  if (signals) {
    state.run.helpers.spawn(heed_signals(&*signals, &state));
    state.run.work.spawn(work(executor, &state));
    co_await state.run.work.wait_idle();
    co_await state.run.helpers.join();
    state.context.reset();
    co_await take_down(&state.run);
  } else {
    state.run.report.error = std::move(signals).error();
  }
  co_return co_await conclude(&state);
}

int report_repl_failure(const Error& error, const ReplOptions& options) {
  if (options.json) {
    JsonWriter json(false);
    json.begin_object().key("event").text("failure");
    json.key("code").text(code_name(error.code())).key("message").text(error.message());
    json.end_object();
    write_all(STDOUT_FILENO, std::move(json).finish());
  }
  print_error(error, options.color, options.verbose);
  return exit_status_of(error.code());
}

}  // namespace atl::cli
