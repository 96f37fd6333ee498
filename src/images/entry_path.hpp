// Names in archives, as they may be used: relative, and nothing that climbs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "images/limits.hpp"

namespace atl::images {

// "./usr//bin/" -> "usr/bin"; "" is the top folder. Refuses absolute names, "..", and what is
// longer or deeper than the limits.
Result<std::string> clean_path(std::string_view name, const UnpackLimits& limits);

// Whether a link at `path` with a relative `target` would lead above the top folder.
bool link_climbs_out(std::string_view path, std::string_view target);

// A name from an archive for a sentence: short, and without control characters.
std::string shown(std::string_view name);

}  // namespace atl::images
