// `atoll mcp`: MCP on standard input and output, for a client that started it.
#pragma once

#include "cli/remote/options.hpp"
#include "cli/remote/server.hpp"

namespace atl::cli {

// Until standard input ends. Exit status.
int mcp_command(const RemoteOptions& options, const ServerSources& sources);

}  // namespace atl::cli
