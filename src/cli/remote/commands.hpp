// The commands that talk to a server.
#pragma once

#include <string>

#include "cli/core/small_commands.hpp"

namespace atl::cli {

// `arguments` begin with the command's name. Gives the exit status. `local_key_file` may hold the
// key of a server on this machine.
int remote_command(Arguments arguments, const std::string& local_key_file);

}  // namespace atl::cli
