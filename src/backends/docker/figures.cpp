#include "backends/docker/figures.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace atl::backends::docker {
namespace {

std::uint64_t count_at(const Json& value, std::string_view pointer) {
  return static_cast<std::uint64_t>(std::max(number_at(value, pointer), 0.0));
}

// The number behind a word that begins a line; 0 without such a line.
std::uint64_t counter_in(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  for (std::uint64_t count = 0; file >> word >> count;) {
    if (word == name) return count;
  }
  return 0;
}

}  // namespace

sandbox::Usage usage_of(const Json& stats, const CgroupFigures& cgroup) {
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
  usage.oom_kills = cgroup.oom_kills;
  usage.disk_bytes = cgroup.shared_memory;  // all that can be written is in memory (container.cpp)
  return usage;
}

CgroupFigures figures_of(std::int64_t pid) {
  std::ifstream groups("/proc/" + std::to_string(pid) + "/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // "4:memory:/docker/abc", or "0::/docker/abc"
    std::size_t first = line.find(':');
    std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    bool old = controllers == "memory";
    if (!old && !controllers.empty()) continue;
    std::string folder =
        (old ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup") + line.substr(second + 1);
    if (::access((folder + "/memory.stat").c_str(), R_OK) != 0) continue;
    return {.oom_kills =
                counter_in(folder + (old ? "/memory.oom_control" : "/memory.events"), "oom_kill"),
            .shared_memory = counter_in(folder + "/memory.stat", old ? "total_shmem" : "shmem")};
  }
  return {};
}

}  // namespace atl::backends::docker
