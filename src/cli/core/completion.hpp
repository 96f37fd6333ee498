// Completion scripts from the command table.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::cli {

// shell: bash, zsh or fish.
Result<std::string> completion_script(std::string_view shell);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace atl::cli
