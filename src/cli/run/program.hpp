// From what stands on the command line to an argv inside: a command, a script file, or code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/run/run_options.hpp"
#include "cli/run/run_plan.hpp"

namespace atl::cli {

struct Program {
  std::vector<std::string> argv;
  std::optional<FileInside> file;
  bool is_code = false;  // a script or code, not a command
  bool took_stdin = false;
  bool may_be_script = false;  // a command, but also a file here that no language claims by its
                               // name
};

// Reads the script or stdin. `folder`: where files may be put inside.
Result<Program> make_program(const RunOptions& options, const std::string& folder);

}  // namespace atl::cli
