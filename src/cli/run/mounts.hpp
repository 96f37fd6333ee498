// --mount SRC:DST[:ro|rw]: taken apart, and the source opened with the caller's own rights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

struct MountText {
  std::string source;
  std::string target;
  bool read_only = true;
};

// The source may hold colons: the target is what follows the last ":/".
Result<MountText> parse_mount(std::string_view text);
Result<sandbox::Mount> open_mount(const std::string& text);

// Absolute, no "." or ".." parts, no NUL, below 256 bytes: a path inside that means what it says.
Result<void> check_inside_path(std::string_view path, const std::string& option);

}  // namespace atl::cli
