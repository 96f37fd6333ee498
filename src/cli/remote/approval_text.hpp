// An execution that waits for a person, as the person reads it. Pure.
#pragma once

#include <string>

#include "bodies/policy.hpp"
#include "cli/remote/session_table.hpp"

namespace atl::cli {

std::string approval_table(const bodies::ApprovalListBody& list, WallTime now, bool color);
// Who asks for what and until when, and the code with its findings marked below their lines.
std::string approval_text(const bodies::ApprovalBody& approval, WallTime now, bool color);

}  // namespace atl::cli
