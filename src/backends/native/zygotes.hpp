// The zygotes of the native backend: which one serves a preload list, and how it is started.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/native/launcher_client.hpp"
#include "sandbox/backend.hpp"

namespace atl::backends::native {

// Where the host's Python has its packages.
std::vector<std::string> package_folders();
// A sum of what these modules are loaded from: with a changed interpreter, package folder or file
// of a module in the list it is another one, and so is the zygote; the old one leaves when idle.
std::uint64_t package_stamp(const sandbox::Preload& preload,
                            const std::vector<std::string>& folders = package_folders());
// Which zygote serves a preload list.
Result<engine::ZygoteKey> zygote_key(const sandbox::Preload& preload);

// Starts it unless it lives, and waits for its word.
async::Task<Result<sandbox::ZygoteReport>> start_zygote(async::Executor executor,
                                                        std::shared_ptr<LauncherClient> launcher,
                                                        sandbox::Preload preload);
// Has the launcher find it for sandboxes that are made from now on, unless it has. No call fails
// for lack of one.
async::Task<void> meet_zygote(std::shared_ptr<LauncherClient> launcher, sandbox::Preload preload);
// A sandbox found that it is no more.
void miss_zygote(LauncherClient& launcher, const sandbox::Preload& preload);
// Starts it for those who come later; nobody waits.
Result<void> leave_zygote(LauncherClient& launcher, const sandbox::Preload& preload);

}  // namespace atl::backends::native
