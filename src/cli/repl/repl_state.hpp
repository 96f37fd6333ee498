// What the tasks of one `atoll repl` share. Internal to the repl_*.cpp files.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "async/signals.hpp"
#include "async/stream.hpp"
#include "cli/repl/repl_cells.hpp"
#include "cli/repl/repl_printer.hpp"
#include "cli/repl/repl_session.hpp"
#include "cli/run/run_state.hpp"
#include "contexts/context.hpp"

namespace atl::cli {

Syntax syntax_of(contexts::Language language);

struct ReplState {
  ReplState(async::Executor executor, sandbox::Backend& backend, ReplPlan& what,
            const ReplOptions& how)
      : plan(what),
        options(how),
        run(std::move(executor), backend, what.run),
        printer(how, &run.output, what.files ? &*what.files : nullptr),
        on_terminal(::isatty(STDIN_FILENO) == 1),
        typed(syntax_of(what.language)) {}

  ReplPlan& plan;
  const ReplOptions& options;
  RunState run;
  ReplPrinter printer;
  std::unique_ptr<contexts::Context> context;
  bool on_terminal;
  bool prompting = false;  // somebody at the terminal is asked for a line
  bool in_cell = false;    // one runs, or is about to
  CellBuilder typed;
  std::uint32_t cell = 0;
  int exit_code = 0;     // of the last cell that failed
  int interrupts = 0;    // of the cell that runs
  bool cut_off = false;  // its time was up before its output was taken
};

// The cells of stdin, one after the other.
class CellInput {
 public:
  CellInput(async::Executor executor, ReplState* state);
  // nullopt at the end.
  async::Task<Result<std::optional<std::string>>> next();

 private:
  async::Task<Result<std::optional<std::string>>> next_typed();
  async::Task<Result<bool>> read_more();

  ReplState* state_;
  async::Stream input_;
  CellSplitter splitter_;
  std::string buffer_;  // at a terminal: lines that were typed ahead
  bool ended_ = false;
};

void prompt(ReplState& state);
async::Task<void> heed_signals(async::Signals* signals, ReplState* state);

}  // namespace atl::cli
