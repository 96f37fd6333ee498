// `atoll image import|ls|rm|inspect`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "cli/core/small_commands.hpp"

namespace atl::cli {

// What images become of an archive that is for a backend with images of its own.
using ImportElsewhere = std::function<Result<std::vector<std::string>>(
    const std::string& backend, UniqueFd archive, const std::string& name,
    std::function<void(std::uint64_t done, std::uint64_t total)> on_progress)>;

// `programs`: the folder where atoll-unpack lies. Gives the exit status.
int image_command(Arguments arguments, const std::string& programs,
                  const ImportElsewhere& elsewhere);

}  // namespace atl::cli
