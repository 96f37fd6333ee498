// The environment a program gets on top of the sandbox's own: -e and --env-file, and nothing else
// of the caller.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "cli/run/run_options.hpp"

namespace atl::cli {

using Environment = std::map<std::string, std::string>;

// Files first, then -e, so that the command line wins. A bare K that the caller does not have is
// left out, as docker does. With -t the caller's TERM comes along.
Result<Environment> make_environment(const RunOptions& options);

// The lines of one env file; `name` is for errors.
Result<void> add_env_lines(Environment& environment, std::string_view lines,
                           const std::string& name);

}  // namespace atl::cli
