// The two ways of `atoll cp`. Internal to cli/remote.
#pragma once

#include "cli/core/progress.hpp"
#include "cli/remote/cp_plan.hpp"
#include "cli/remote/remote.hpp"

namespace atl::cli {

async::Task<Result<void>> copy_in(Remote* remote, std::string source, SessionId session,
                                  std::string target);
async::Task<Result<void>> copy_out(Remote* remote, SessionId session, std::string source,
                                   std::string target);

}  // namespace atl::cli
