// `atoll image import --backend docker`: an archive for the engine's own store.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends::docker {

// Into the engine that the environment names. The names that the images have there.
Result<std::vector<std::string>> import_images(sandbox::ImageArchive archive);

}  // namespace atl::backends::docker
