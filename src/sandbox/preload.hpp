// The names of modules that a zygote is to load, as people give them: on the command line and in
// templates.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace atl::sandbox {

// Dotted names of Python modules, few and short enough for one request to the launcher. The error's
// sentence goes on behind the name of the option or field.
Result<void> check_modules(const std::vector<std::string>& modules);

}  // namespace atl::sandbox
