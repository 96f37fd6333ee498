// One run: make a sandbox, run the plan's program in it with its input, output and signals
// connected to ours, and take the sandbox down.
#pragma once

#include "async/task.hpp"
#include "cli/run/report.hpp"
#include "cli/run/run_plan.hpp"
#include "sandbox/backend.hpp"

namespace atl::cli {

// Never fails: what went wrong is in the report. `backend` and `plan` outlive the task.
async::Task<RunReport> run_session(async::Executor executor, sandbox::Backend* backend,
                                   RunPlan* plan);

}  // namespace atl::cli
