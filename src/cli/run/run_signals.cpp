#include <signal.h>

#include "async/deadline.hpp"
#include "cli/run/run_state.hpp"

namespace atl::cli {

bool caller_ignores(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The program was told to end; when our own reader has stopped reading, its last words have nowhere
// to go, and waiting for him would keep us here for ever.
async::Task<void> give_up_on_stuck_output(RunState* state) {
  constexpr std::chrono::seconds kPatience{2};
  while (true) {
    std::uint64_t before = state->output.chunks_written();
    co_await async::sleep_for(kPatience);
    if (state->output.waiting() && state->output.chunks_written() == before) {
      co_return state->output.abandon();
    }
  }
}

namespace {

bool asks_to_end(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

// True when the run goes on.
async::Task<bool> handle(int number, RunState* state) {
  if (number == SIGWINCH) {
    if (state->process) (void)co_await state->process->resize(terminal_size());
    co_return true;
  }
  if (number == SIGTSTP) {
    if (state->terminal) {
      state->terminal->suspend();
    } else {
      ::raise(SIGSTOP);
    }
    if (state->process) (void)co_await state->process->resize(terminal_size());
    co_return true;
  }
  if (!state->process) {
    // Nothing to pass it on to yet: give up what is being made.
    state->interrupted_by = number;
    state->work.close();
    co_return false;
  }
  if (number == SIGINT && ++state->interrupts > 1) {
    state->interrupted_by = number;
    state->output.abandon();
    number = SIGKILL;
  } else if (asks_to_end(number)) {
    state->helpers.spawn(give_up_on_stuck_output(state));
  }
  (void)co_await state->process->signal(number);
  co_return true;
}

}  // namespace

async::Task<void> forward_signals(async::Signals* signals, RunState* state) {
  while (true) {
    Result<int> number = co_await signals->next();
    if (!number) co_return;
    if (caller_ignores(*number)) continue;
    bool more = co_await handle(*number, state);
    if (!more) co_return;
  }
}

}  // namespace atl::cli
