// `atoll config show|check|reference`.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "cli/core/small_commands.hpp"

namespace atl::cli {

// What the command finds around it.
struct ConfigSurroundings {
  const char* const* environment = nullptr;
  std::string home;
  std::string data;  // the data folder when nobody names one
  std::string system_file = "/etc/atoll/config.json";
  // Says which backends there are when `name` is none of them; the server does the same at start.
  std::function<Result<void>(const std::string& name)> check_backend;
};

// Gives the exit status.
int config_command(Arguments arguments, const ConfigSurroundings& around);

}  // namespace atl::cli
