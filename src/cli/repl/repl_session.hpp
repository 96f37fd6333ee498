// One session of `atoll repl`: a sandbox with one context in it, and cells from stdin.
#pragma once

#include "async/task.hpp"
#include "cli/repl/repl_options.hpp"
#include "cli/repl/saved_files.hpp"
#include "cli/run/run_plan.hpp"
#include "contexts/language.hpp"
#include "sandbox/backend.hpp"

namespace atl::cli {

struct ReplPlan {
  RunPlan run;
  contexts::Language language = contexts::Language::kPython;
  std::chrono::milliseconds timeout{0};  // of a cell; 0: none
  std::optional<SavedFiles> files;
};

// Reads and opens everything of the host that is needed.
Result<ReplPlan> make_repl_plan(const ReplOptions& options, const sandbox::BackendEntry& backend);

// What atoll exits with. Everything that went wrong has been told. All of them outlive the task.
async::Task<int> repl_session(async::Executor executor, sandbox::Backend* backend, ReplPlan* plan,
                              const ReplOptions* options);

// A failure before there is a session.
int report_repl_failure(const Error& error, const ReplOptions& options);

}  // namespace atl::cli
