// What the tasks of one run share. Internal to the run_*.cpp files.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/signals.hpp"
#include "async/task_group.hpp"
#include "cli/core/output.hpp"
#include "cli/core/terminal.hpp"
#include "cli/run/report.hpp"
#include "cli/run/run_plan.hpp"
#include "egress/client.hpp"
#include "sandbox/backend.hpp"

namespace atl::cli {

struct RunState {
  RunState(async::Executor executor, sandbox::Backend& with, RunPlan& what)
      : executor(executor),
        backend(with),
        plan(what),
        output(executor, what.output == OutputFormat::kJson, what.max_output),
        helpers(executor),
        work(executor),
        leaving(executor) {}

  async::Executor executor;
  sandbox::Backend& backend;
  RunPlan& plan;
  Output output;
  RunReport report;
  std::unique_ptr<sandbox::Sandbox> sandbox;
  std::unique_ptr<sandbox::Process> process;  // once the program runs
  std::optional<RawTerminal> terminal;
  std::unique_ptr<egress::Client> egress;        // where the plan has a network
  std::map<std::string, std::uint64_t> refused;  // what it did not allow, and how often
  async::Event refusal;
  int interrupts = 0;                                   // SIGINTs so far
  int interrupted_by = 0;                               // a signal that ended the run from our side
  async::TaskGroup helpers;                             // stdin and signals: end with the program
  async::TaskGroup work;                                // make, run, wait
  async::TaskGroup leaving;                             // starts a zygote for later runs
  std::optional<Result<sandbox::ZygoteReport>> zygote;  // what has become of it
};

// Makes the sandbox and starts it, with the plan's file in it. Fails when a limit that was asked
// for is not enforced.
async::Task<Result<void>> bring_up(RunState* state);
// Everything in the sandbox is gone after this, or the launcher is told by our exit.
async::Task<void> take_down(RunState* state);
// Gives the sandbox the plan's network, before the program starts.
async::Task<Result<void>> open_network(RunState* state);
// Before the sandbox ends; warns of what was refused.
async::Task<void> close_network(RunState* state);
// What -v tells.
void say(const RunPlan& plan, std::string text);
// Reads stdin and hands it to the program until either ends.
async::Task<void> pump_stdin(async::Executor executor, RunState* state);
// A blocked signal reaches us even where the caller asked to ignore it (nohup, a job in the
// background); it must not reach the program then.
bool caller_ignores(int number);
// From the time on that the program should be gone: stops waiting for a reader that does not read.
async::Task<void> give_up_on_stuck_output(RunState* state);
// Passes signals on to the program's group.
async::Task<void> forward_signals(async::Signals* signals, RunState* state);

}  // namespace atl::cli
