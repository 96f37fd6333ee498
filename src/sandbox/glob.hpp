// Matching one path component against a pattern: *, ?, [a-z], [!a-z] and \ before a character that
// means itself. A leading dot is nothing special: a rule that denies *.key must not miss .key.
#pragma once

#include <string>
#include <string_view>

namespace atl::sandbox {

bool is_glob(std::string_view pattern);
// Without the backslashes; for patterns that are no globs.
std::string unescaped(std::string_view pattern);
bool glob_match(std::string_view pattern, std::string_view name);

}  // namespace atl::sandbox
