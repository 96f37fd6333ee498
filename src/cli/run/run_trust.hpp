// What a run with secrets needs besides a network: an authority of its own, trust stores in the
// sandbox, placeholders in the environment. Only atoll-backends has it: it needs OpenSSL.
#pragma once

#include "cli/run/run_plan.hpp"

namespace atl::cli {

// For a plan whose policy has secrets. With the rights of the caller, before they are dropped.
Result<void> add_trust(RunPlan& plan);

}  // namespace atl::cli
