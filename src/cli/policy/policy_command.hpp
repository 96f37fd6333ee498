// `atoll policy check|rules`: how risky code looks. Talks to no server.
#pragma once

#include "cli/core/small_commands.hpp"

namespace atl::cli {

// Gives the exit status; `arguments` begin with the sub-command.
int policy_command(Arguments arguments);

}  // namespace atl::cli
