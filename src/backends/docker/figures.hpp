// What a container uses: the engine's statistics, and what only its cgroup knows.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/docker/engine.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::docker {

// From GET /containers/ID/stats.
sandbox::Usage usage_of(const Json& stats);
// How often the kernel killed something in the cgroup of that process for lack of memory; nullopt
// where this host does not show it.
std::optional<std::uint64_t> oom_kills_of(std::int64_t pid);

}  // namespace atl::backends::docker
