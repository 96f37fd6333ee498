// How limits are written to the files of a control group, on cgroup v1 and v2. `set(file, value)`
// writes one of them; false with errno when the kernel refuses it. Allocates nothing.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace atl {

// Whether the host has cgroup v2 alone.
inline bool has_unified_cgroups() {
  return ::access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
}

// v1 counts TCP buffers apart from all other memory, and by default does not limit them. Files of
// swap are absent without swap accounting. EBUSY: more is in use, and cannot be freed at once.
template <typename Set>
bool set_memory_limit(bool unified, std::uint64_t bytes, Set set) {
  const char* with_swap = "memory.memsw.limit_in_bytes";
  const char* file = unified ? "memory.max" : "memory.limit_in_bytes";
  set(unified ? "memory.swap.max" : "memory.swappiness", 0);
  bool held = set(file, bytes);
  // Memory of an earlier tenant may be freed late.
  if (!held && errno == EBUSY && set("memory.force_empty", 0)) held = set(file, bytes);
  // A limit above that of memory and swap together is refused, so that one is raised first.
  if (!held && errno == EINVAL) held = set(with_swap, bytes) && set(file, bytes);
  if (held && !unified) {
    set(with_swap, bytes);
    set("memory.kmem.tcp.limit_in_bytes", std::clamp<std::uint64_t>(bytes / 8, 1 << 20, 64 << 20));
  }
  return held;
}

}  // namespace atl
