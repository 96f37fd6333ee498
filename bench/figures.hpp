// What every bench program needs: clocks, JSON rows for bench/run.py on stdout, whole commands, and
// the memory that the machine holds.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace atl::bench {

using Clock = std::chrono::steady_clock;

inline double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

inline void row_start() {
  static bool first = true;
  std::printf("%s", first ? "{\"rows\":[" : ",");
  first = false;
}

inline void rows_end() {
  std::printf("]}\n");
  std::fflush(stdout);
}

inline void print_times(const char* name, const char* mode, std::vector<double> times,
                        const char* contender = "atoll", const char* unit = "ms") {
  std::ranges::sort(times);
  auto part = [&](std::size_t percent) {
    return times[std::min(times.size() - 1, times.size() * percent / 100)];
  };
  row_start();
  std::printf(
      "{\"case\":\"%s\",\"mode\":\"%s\",\"contender\":\"%s\",\"unit\":\"%s\",\"min\":%.4f,"
      "\"p50\":%.4f,\"p95\":%.4f,\"p99\":%.4f,\"samples\":%zu}",
      name, mode, contender, unit, times.front(), part(50), part(95), part(99), times.size());
}

inline void print_value(const char* name, const char* unit, double value,
                        const char* contender = "atoll", const char* mode = "") {
  row_start();
  std::printf(
      "{\"case\":\"%s\",\"mode\":\"%s\",\"contender\":\"%s\",\"unit\":\"%s\",\"value\":%.3f}", name,
      mode, contender, unit, value);
}

// Whole command, its output thrown away.
inline double time_command(const std::vector<const char*>& words) {
  std::vector<char*> argv;
  for (const char* word : words) argv.push_back(const_cast<char*>(word));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  Clock::time_point start = Clock::now();
  pid_t pid = 0;
  int status = 1;
  if (::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) == 0) {
    ::waitpid(pid, &status, 0);
  }
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0) give_up(std::string(argv[0]) + " failed");
  return ms_since(start);
}

inline double time_bwrap(const std::vector<const char*>& command) {
  std::vector<const char*> words = {"bwrap", "--unshare-all", "--ro-bind", "/",
                                    "/",     "--proc",        "/proc",     "--dev",
                                    "/dev",  "--tmpfs",       "/tmp"};
  words.insert(words.end(), command.begin(), command.end());
  return time_command(words);
}

inline double available_memory_kb() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("MemAvailable:")) return std::strtod(line.c_str() + 13, nullptr);
  }
  return 0;
}

inline double kilobytes_after(const std::string& file, std::initializer_list<const char*> names) {
  std::ifstream lines(file);
  std::string line;
  double sum = 0;
  while (std::getline(lines, line)) {
    for (std::string_view name : names) {
      if (line.starts_with(name)) sum += std::strtod(line.c_str() + name.size(), nullptr);
    }
  }
  return sum;
}

inline double kernel_memory_kb() {
  return kilobytes_after("/proc/meminfo", {"SUnreclaim:", "KernelStack:", "PageTables:"});
}

// Memory that processes and the kernel hold on to, page cache apart: what is shared counts once.
inline double held_memory_kb() {
  double sum = kernel_memory_kb();
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().c_str()[0])) == 0) continue;
    sum += kilobytes_after(entry.path().string() + "/smaps_rollup", {"Pss:"});
  }
  return sum;
}

}  // namespace atl::bench
