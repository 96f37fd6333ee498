// The commands that need neither a host nor a sandbox: completion, version, help, and a wrong name.
// Each prints and gives the exit status.
#pragma once

#include <span>
#include <string_view>

#include "base/error.hpp"
#include "cli/core/command.hpp"

namespace atl::cli {

using Arguments = std::span<const std::string_view>;

int show(std::string_view text);  // on stdout
int show_help(const Command& command);
int own_failure(const Error& error);

int completion_command(Arguments arguments);
int version_command(Arguments arguments);
int help_command(Arguments arguments);
// atoll --help, atoll --version, and options there are not.
int main_options(Arguments arguments);
int no_command();
int unknown_command(std::string_view name);

}  // namespace atl::cli
