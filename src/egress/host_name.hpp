// Host names and the patterns of network rules, in one form: lower case, A-labels, no dot at the
// end. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::egress {

// nullopt for text that is not a host name: empty labels, labels above 63 and names above 253
// bytes, bytes outside [a-z0-9_-]. One dot at the end is dropped.
std::optional<std::string> canonical_name(std::string_view text);

// A name, "*.NAME" (one or more labels below NAME, not NAME itself) or "*" (any name).
std::optional<std::string> canonical_pattern(std::string_view text);

// Both canonical.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace atl::egress
