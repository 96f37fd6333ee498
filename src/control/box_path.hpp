// From a name in a request to a path in the sandbox. Names are relative to the workspace; absolute
// ones lie below /workspace or /tmp. The guest resolves paths inside its own root, so this is about
// clear answers, and about nobody's files being outside of what snapshots hold. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::control {

// `workspace` is where the backend keeps it, as the guest sees it. `..` is refused, `.` and empty
// segments are dropped; "" is the workspace itself.
Result<std::string> box_path(std::string_view name, std::string_view workspace);
// The way back: relative to the workspace where it is below.
std::string shown_path(std::string_view path, std::string_view workspace);

}  // namespace atl::control
