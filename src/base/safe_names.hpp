// Names and links that come from a sandbox and are made on the host below one folder.
#pragma once

#include <string_view>

namespace atl {

// Relative, no part of it is "..", "." or empty, and with a folder before it it can be opened.
bool is_safe_name(std::string_view name);
// Whether a link of this name leads to somewhere in the same tree, whatever other links are there.
bool is_safe_link(std::string_view name, std::string_view target);

}  // namespace atl
