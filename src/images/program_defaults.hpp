// What the programs of a sandbox get from its image, wherever nobody asks for something else.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/unique_fd.hpp"
#include "images/image.hpp"

namespace atl::images {

struct ProgramDefaults {
  std::map<std::string, std::string> env;
  std::string cwd;  // empty: the image does not say, or names a folder that cannot be entered
};

// `layers` as in Lease. Entries that no program can be given are left out.
ProgramDefaults program_defaults(const ImageConfig& config, std::span<const UniqueFd> layers);

}  // namespace atl::images
