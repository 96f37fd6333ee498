// `atoll image import|ls|rm|inspect`.
#pragma once

#include <string>

#include "cli/small_commands.hpp"

namespace atl::cli {

// `programs`: the folder where atoll-unpack lies. Gives the exit status.
int image_command(Arguments arguments, const std::string& programs);

}  // namespace atl::cli
