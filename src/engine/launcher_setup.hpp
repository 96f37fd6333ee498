// Prepares a launcher: its user namespace when not root, folder, cgroups, template and guest program.
#pragma once

#include "engine/launcher.hpp"

namespace atl::engine {

// Does everything that needs no request, so that a create finds it done. A Failure is kept and given
// to the first client instead of ending the program: there is nobody else to tell.
Failure set_up_launcher(const LauncherOptions& options, LauncherState& state);

}  // namespace atl::engine
