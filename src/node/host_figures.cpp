#include "node/host_figures.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

namespace atl::node {
namespace {

std::string text_of(const char* path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

HostMemory parse_memory(std::string_view text) {
  HostMemory memory;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kib = 0;
    if (!(words >> name >> kib)) continue;
    if (name == "MemTotal:") memory.total = kib << 10;
    if (name == "MemAvailable:") memory.available = kib << 10;
  }
  memory.available = std::min(memory.available, memory.total);
  return memory;
}

HostTimes parse_times(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string name;
  // user nice system idle iowait irq softirq steal; guests are part of user.
  std::array<std::uint64_t, 8> ticks{};
  words >> name;
  for (std::uint64_t& tick : ticks) words >> tick;
  HostTimes times;
  for (std::uint64_t tick : ticks) times.all += tick;
  times.busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  return times;
}

HostMemory host_memory() { return parse_memory(text_of("/proc/meminfo")); }
HostTimes host_times() { return parse_times(text_of("/proc/stat")); }

double cpus_used(const HostTimes& before, const HostTimes& after, double cpus) {
  if (after.all <= before.all || after.busy < before.busy) return 0;
  double part =
      static_cast<double>(after.busy - before.busy) / static_cast<double>(after.all - before.all);
  return std::min(part, 1.0) * cpus;
}

const char* health_of(bool is_lost, std::uint64_t memory_used, std::uint64_t memory_total) {
  if (is_lost) return "unhealthy";
  bool is_short = static_cast<double>(memory_used) > 0.95 * static_cast<double>(memory_total);
  return is_short ? "degraded" : "healthy";
}

}  // namespace atl::node
