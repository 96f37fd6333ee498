// "Did you mean …?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace atl::config {

// Lower case, without underscores and dashes: allowedDomains, allowed_domains and ALLOWED_DOMAINS
// are one name.
std::string folded(std::string_view name);

// The known word that `typed` was probably meant to be; empty when none is near.
std::string_view nearest(std::string_view typed, std::span<const std::string> known);

}  // namespace atl::config
