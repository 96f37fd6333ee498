// The manuals of the commands that talk to a server, for the table of all commands.
#pragma once

#include "cli/core/command.hpp"

namespace atl::cli {

// create, ps, exec, shell, cp, logs, rm, template, secret, network, approve, test, tenant,
// audit, mcp.
std::span<const Command, 15> remote_manuals();

}  // namespace atl::cli
