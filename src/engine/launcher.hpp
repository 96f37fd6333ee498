// The launcher's life: answer requests, watch its sandboxes, clean up after them. Single-threaded;
// waits only in epoll.
#pragma once

#include "engine/box.hpp"

namespace atl::engine {

// Prepares a launcher: its user namespace when not root, folders, cgroups, template, guest program
// and a first slot, so that a create finds it done. A Failure is for the first client: nobody else
// is there to be told.
Outcome<void> set_up_launcher(LauncherState& state, const UniqueFd& client);
// Confines the launcher itself, for all that comes after its set-up. As root only.
bool confine_launcher();
// Runs until the client is gone. Returns the exit status of the program.
int run_launcher(LauncherOptions options);

}  // namespace atl::engine
