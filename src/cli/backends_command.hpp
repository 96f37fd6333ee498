// `atoll backends`: the registry as a table or as JSON.
#pragma once

#include <string>

#include "sandbox/registry.hpp"

namespace atl::cli {

// Asks every backend whether it can run here.
std::string backends_text(const sandbox::Registry& registry, bool color);
std::string backends_json(const sandbox::Registry& registry, bool pretty);

}  // namespace atl::cli
