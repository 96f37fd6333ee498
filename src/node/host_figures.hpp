// What this machine has and what of it is in use, read from /proc.
#pragma once

#include <cstdint>
#include <string_view>

namespace atl::node {

struct HostMemory {
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // for programs: free, or cache that the kernel would give back
};
// /proc/meminfo.
HostMemory parse_memory(std::string_view text);
HostMemory host_memory();

// Since the start of the machine, of all its processors together.
struct HostTimes {
  std::uint64_t busy = 0;  // clock ticks
  std::uint64_t all = 0;
};
// The first line of /proc/stat. Waiting for a disk and being stolen by other guests is not busy.
HostTimes parse_times(std::string_view text);
HostTimes host_times();

// Processors in use between two moments, of so many.
double cpus_used(const HostTimes& before, const HostTimes& after, double cpus);

// healthy, degraded (memory is almost used up), unhealthy (no sandbox can be made any more).
const char* health_of(bool is_lost, std::uint64_t memory_used, std::uint64_t memory_total);

}  // namespace atl::node
