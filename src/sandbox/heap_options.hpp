// How large the heaps of Java and Node.js may grow. Both ask the host for its memory where they see
// no cgroup, and plan with a multiple of what the sandbox has; they were killed instead of
// collecting garbage.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace atl::sandbox {

// JAVA_TOOL_OPTIONS and NODE_OPTIONS for a sandbox with this limit.
std::map<std::string, std::string> heap_options(std::uint64_t memory_bytes);

}  // namespace atl::sandbox
