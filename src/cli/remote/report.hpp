// Errors of commands that talk to a server. The hints of `atoll run` are about this host; here the
// server has the word.
#pragma once

#include "base/error.hpp"
#include "cli/core/console.hpp"

namespace atl::cli {

void print_remote_error(const Error& error, ColorMode mode);

}  // namespace atl::cli
