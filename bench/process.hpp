// What the kernel says about a process and those that it started.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "figures.hpp"

namespace atl::bench {

inline std::string proc(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

// Time on a processor, of all threads there are.
inline double cpu_us(pid_t pid) {
  double sum = 0;
  for (const auto& task : std::filesystem::directory_iterator(proc(pid, "task"))) {
    double nanoseconds = 0;
    std::ifstream(task.path() / "schedstat") >> nanoseconds;
    sum += nanoseconds / 1000;
  }
  return sum;
}

inline double pss_kb(pid_t pid) { return kilobytes_after(proc(pid, "smaps_rollup"), {"Pss:"}); }
inline double resident_kb(pid_t pid) { return kilobytes_after(proc(pid, "status"), {"VmRSS:"}); }

// The most that was resident since the last call of reset_peak().
inline double peak_kb(pid_t pid) { return kilobytes_after(proc(pid, "status"), {"VmHWM:"}); }
inline void reset_peak(pid_t pid) { std::ofstream(proc(pid, "clear_refs")) << "5"; }

// Everything below `pid`, itself not counted. Parents come before their children only mostly, so
// until nothing is added.
inline std::set<pid_t> descendants(pid_t pid) {
  std::set<pid_t> found{pid};
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::string name = entry.path().filename();
      if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
      auto parent = static_cast<pid_t>(kilobytes_after(entry.path() / "status", {"PPid:"}));
      if (found.contains(parent)) found.insert(std::stoi(name));
    }
  }
  found.erase(pid);
  return found;
}

}  // namespace atl::bench
