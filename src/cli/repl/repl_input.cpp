// Where cells come from, and what the keyboard says besides.
#include <fcntl.h>
#include <signal.h>

#include <utility>

#include "base/write_all.hpp"
#include "cli/repl/repl_state.hpp"

namespace atl::cli {

using async::Task;

Syntax syntax_of(contexts::Language language) {
  switch (language) {
    case contexts::Language::kPython: return Syntax::kPython;
    case contexts::Language::kJavascript:
    case contexts::Language::kTypescript: return Syntax::kJavascript;
    case contexts::Language::kBash: return Syntax::kBash;
  }
  return Syntax::kPython;
}

// "python 3> ", and "python .> " for the lines that follow. On stderr, as shells do: stdout belongs
// to the code.
void prompt(ReplState& state) {
  std::string number = std::to_string(state.cell + 1);
  if (!state.typed.empty()) number.assign(number.size(), '.');
  std::string name(contexts::language_name(state.plan.language));
  write_all(STDERR_FILENO, (state.printer.in_line() && state.typed.empty() ? "\n" : "") + name +
                               " " + number + "> ");
}

CellInput::CellInput(async::Executor executor, ReplState* state)
    : state_(state),
      input_(std::move(executor), UniqueFd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
             async::FdKind::kShared),
      splitter_(contexts::kMaxCode) {}

// False at the end.
Task<Result<bool>> CellInput::read_more() {
  std::string bytes(64 * 1024, '\0');
  ATOLL_CO_TRY(std::size_t size, co_await input_.read_some(bytes));
  bytes.resize(size);
  if (state_->on_terminal) {
    buffer_ += bytes;
  } else {
    splitter_.feed(bytes);
  }
  co_return size > 0;
}

Task<Result<std::optional<std::string>>> CellInput::next() {
  if (state_->on_terminal) co_return co_await next_typed();
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> cell, splitter_.next(ended_));
    if (cell || ended_) co_return cell;
    ATOLL_CO_TRY(bool more, co_await read_more());
    ended_ = !more;
  }
}

Task<Result<std::optional<std::string>>> CellInput::next_typed() {
  CellBuilder& typed = state_->typed;
  for (;;) {
    prompt(*state_);
    state_->prompting = true;
    while (buffer_.find('\n') == std::string::npos && !ended_) {
      ATOLL_CO_TRY(bool more, co_await read_more());
      ended_ = !more;
    }
    state_->prompting = false;
    std::size_t end = buffer_.find('\n');
    if (end == std::string::npos) {
      write_all(STDERR_FILENO, "\n");
      if (!buffer_.empty()) typed.add(std::exchange(buffer_, {}));
      if (typed.empty()) co_return std::nullopt;
      co_return typed.take();
    }
    bool complete = typed.add(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 1);
    if (!complete) continue;
    std::string cell = typed.take();
    if (cell.find_first_not_of(" \t\n") != std::string::npos) co_return cell;
  }
}

namespace {

Task<void> restart(ReplState* state) { static_cast<void>(co_await state->context->restart()); }

// Ctrl-C: stops what runs, the second time for good; at the prompt it drops what was typed.
Task<bool> interrupt(ReplState* state) {
  if (state->context && state->context->running()) {
    // The second takes as long as the cell's output is not taken; other signals must not wait.
    if (++state->interrupts == 2) state->run.helpers.spawn(restart(state));
    if (state->interrupts == 1) static_cast<void>(co_await state->context->interrupt());
    co_return true;
  }
  if (state->in_cell) co_return true;  // its interpreter is being started
  if (!state->prompting) co_return false;
  static_cast<void>(state->typed.take());
  write_all(STDERR_FILENO, "\n");
  prompt(*state);
  co_return true;
}

}  // namespace

Task<void> heed_signals(async::Signals* signals, ReplState* state) {
  for (;;) {
    Result<int> number = co_await signals->next();
    if (!number) co_return;
    if (caller_ignores(*number)) continue;
    bool goes_on = false;
    if (*number == SIGINT) goes_on = co_await interrupt(state);
    if (goes_on) continue;
    state->run.interrupted_by = *number;
    state->run.output.abandon();
    state->run.work.close();
    co_return;
  }
}

}  // namespace atl::cli
