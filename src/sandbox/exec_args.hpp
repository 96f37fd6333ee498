// From what a caller asks to what the guest is told: checks, the default environment, paths.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "guest/messages.hpp"
#include "sandbox/spec.hpp"

namespace atl::sandbox {

// kInvalidArgument: empty argv, NUL bytes, a variable's name that is empty or holds '=', input
// beside a control stream.
Result<guest::ExecArgs> exec_args(const ExecRequest& request, const std::string& workspace);

// An absolute path inside the sandbox; a relative one starts at the workspace.
Result<std::string> box_path(std::string_view path, const std::string& workspace);

}  // namespace atl::sandbox
