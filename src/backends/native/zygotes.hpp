// The zygotes of the native backend: which one serves a preload list, and how it is started.
#pragma once

#include <memory>
#include <string>

#include "backends/native/launcher_client.hpp"
#include "sandbox/backend.hpp"

namespace atl::backends::native {

// The name of the zygote for these modules: another script, another list, or a changed interpreter
// or package folder is another zygote; the old one leaves when idle.
std::string zygote_name(const sandbox::Preload& preload);

// Starts it unless it lives, and waits for its word.
async::Task<Result<sandbox::ZygoteReport>> start_zygote(async::Executor executor,
                                                        std::shared_ptr<LauncherClient> launcher,
                                                        sandbox::Preload preload);
// Starts it for those who come later; nobody waits.
Result<void> leave_zygote(LauncherClient& launcher, const sandbox::Preload& preload);

}  // namespace atl::backends::native
