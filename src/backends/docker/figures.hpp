// What a container uses: the engine's statistics, and what only its cgroup knows.
#pragma once

#include <cstdint>

#include "backends/docker/engine.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::docker {

// What the kernel knows of the cgroup of a process, and the engine does not tell. Zero where this
// host does not show it.
struct CgroupFigures {
  std::uint64_t oom_kills = 0;
  std::uint64_t shared_memory = 0;  // bytes: files in memory are counted here
};
CgroupFigures figures_of(std::int64_t pid);

// From GET /containers/ID/stats and the above.
sandbox::Usage usage_of(const Json& stats, const CgroupFigures& cgroup);

}  // namespace atl::backends::docker
