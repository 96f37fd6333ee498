#include <signal.h>

#include "cli/run_state.hpp"

namespace atl::cli {
namespace {

// A blocked signal reaches us even where the caller asked to ignore it (nohup, a job in the
// background); it must not reach the program then.
bool caller_ignores(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// True when the run goes on.
async::Task<bool> handle(int number, int& interrupts, RunState& state) {
  if (number == SIGWINCH) {
    if (state.process) (void)co_await state.process->resize(terminal_size());
    co_return true;
  }
  if (number == SIGTSTP) {
    if (state.terminal) state.terminal->suspend();
    if (state.process) (void)co_await state.process->resize(terminal_size());
    co_return true;
  }
  if (!state.process) {
    // Nothing to pass it on to yet: give up what is being made.
    state.interrupted_by = number;
    state.work.close();
    co_return false;
  }
  if (number == SIGINT && ++interrupts > 1) {
    state.interrupted_by = number;
    number = SIGKILL;
  }
  (void)co_await state.process->signal(number);
  co_return true;
}

}  // namespace

async::Task<void> forward_signals(async::Signals& signals, RunState& state) {
  int interrupts = 0;
  while (true) {
    Result<int> number = co_await signals.next();
    if (!number) co_return;
    if (caller_ignores(*number)) continue;
    bool more = co_await handle(*number, interrupts, state);
    if (!more) co_return;
  }
}

}  // namespace atl::cli
