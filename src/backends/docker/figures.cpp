#include "backends/docker/figures.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace atl::backends::docker {
namespace {

std::uint64_t count_at(const Json& value, std::string_view pointer) {
  return static_cast<std::uint64_t>(std::max(number_at(value, pointer), 0.0));
}

// "oom_kill 3" among other lines.
std::optional<std::uint64_t> counter_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t count = 0;
    if (word == "oom_kill" && file >> count) return count;
  }
  return std::nullopt;
}

}  // namespace

sandbox::Usage usage_of(const Json& stats) {
  sandbox::Usage usage;
  usage.cpu_seconds = number_at(stats, "/cpu_stats/cpu_usage/total_usage") / 1e9;
  std::uint64_t memory = count_at(stats, "/memory_stats/usage");
  // What the kernel would give back at once is nobody's use; v1 and v2 name it differently.
  std::uint64_t cache = std::max(count_at(stats, "/memory_stats/stats/total_inactive_file"),
                                 count_at(stats, "/memory_stats/stats/inactive_file"));
  usage.memory_bytes = memory - std::min(cache, memory);
  usage.memory_peak_bytes = std::max(count_at(stats, "/memory_stats/max_usage"), memory);
  usage.memory_limit_bytes = count_at(stats, "/memory_stats/limit");
  usage.pids = count_at(stats, "/pids_stats/current");
  // All that can be written is in memory (container.cpp).
  usage.disk_bytes = std::max(count_at(stats, "/memory_stats/stats/total_shmem"),
                              count_at(stats, "/memory_stats/stats/shmem"));
  return usage;
}

std::optional<std::uint64_t> oom_kills_of(std::int64_t pid) {
  std::ifstream groups("/proc/" + std::to_string(pid) + "/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // "4:memory:/docker/abc", or "0::/docker/abc"
    std::size_t first = line.find(':');
    std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    std::optional<std::uint64_t> count;
    if (controllers == "memory") {
      count = counter_in("/sys/fs/cgroup/memory" + path + "/memory.oom_control");
    } else if (controllers.empty()) {
      count = counter_in("/sys/fs/cgroup" + path + "/memory.events");
    }
    if (count) return count;
  }
  return std::nullopt;
}

}  // namespace atl::backends::docker
