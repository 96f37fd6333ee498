// `atoll backends`: the registry as a table or as JSON, and fetching what a backend needs.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/registry.hpp"

namespace atl::cli {

// Asks every backend whether it can run here.
std::string backends_text(const sandbox::Registry& registry, bool color);
std::string backends_json(const sandbox::Registry& registry, bool pretty);

// Says on stderr how far it is. kInvalidArgument: that backend fetches nothing.
Result<void> install_backend(const sandbox::Registry& registry, std::string_view name);

}  // namespace atl::cli
