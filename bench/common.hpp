// What the bench programs share: JSON rows for bench/run.py on stdout, sandboxes of the native
// backend, and an end with a sentence when something fails.
#pragma once

#include <sys/syscall.h>
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
#include <functional>
#include <string>
#include <vector>

#include "async/run.hpp"
#include "sandbox/registry.hpp"

namespace atl::bench {

using async::Executor;
using async::Task;
using sandbox::Backend;
using Clock = std::chrono::steady_clock;
using SandboxPtr = std::unique_ptr<sandbox::Sandbox>;

inline double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

inline void row_start() {
  static bool first = true;
  std::printf("%s", first ? "{\"rows\":[" : ",");
  first = false;
}

inline void print_times(const char* name, const char* mode, std::vector<double> times,
                        const char* contender = "atoll") {
  std::ranges::sort(times);
  row_start();
  std::printf(
      "{\"case\":\"%s\",\"mode\":\"%s\",\"contender\":\"%s\",\"unit\":\"ms\",\"min\":%.4f,"
      "\"p50\":%.4f,\"p95\":%.4f}",
      name, mode, contender, times.front(), times[times.size() / 2],
      times[times.size() * 95 / 100]);
}

inline void print_value(const char* name, const char* unit, double value) {
  row_start();
  std::printf("{\"case\":\"%s\",\"contender\":\"atoll\",\"unit\":\"%s\",\"value\":%.3f}", name,
              unit, value);
}

template <typename T>
T must(Result<T> result, const char* what) {
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", what, result.error().to_string().c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

inline Task<SandboxPtr> started(Backend* backend,
                                std::optional<sandbox::Preload> preload = std::nullopt) {
  sandbox::SandboxSpec spec{.id = SandboxId::make()};
  spec.limits.cpus = 2;
  spec.preload = std::move(preload);
  Result<SandboxPtr> made = co_await backend->create(std::move(spec));
  SandboxPtr box = must(std::move(made), "create");
  Result<void> up = co_await box->start();
  must(std::move(up), "start");
  co_return box;
}

inline Task<void> stopped(sandbox::Sandbox* box) {
  Result<void> down = co_await box->stop();
  must(std::move(down), "stop");
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

// Memory that processes and the kernel hold on to, page cache apart: what is shared counts once.
inline double held_memory_kb() {
  double sum = kilobytes_after("/proc/meminfo", {"SUnreclaim:", "KernelStack:", "PageTables:"});
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().c_str()[0])) == 0) continue;
    sum += kilobytes_after(entry.path().string() + "/smaps_rollup", {"Pss:"});
  }
  return sum;
}

// Runs `measure` with a launcher of its own; returns what main() shall.
inline int run_bench(int argc, char** argv,
                     Task<void> (*measure)(Executor executor, Backend* backend, bool quick)) {
  bool quick = std::any_of(argv, argv + argc,
                           [](const char* arg) { return std::strcmp(arg, "--quick") == 0; });
  auto whole = [](Executor executor, auto* work, bool short_run) -> Task<int> {
    sandbox::Registry registry;
    backends::register_all_backends(registry);
    const sandbox::BackendEntry* entry = must(registry.get("native"), "backend");
    std::string folder = "/run/atoll-bench-" + std::to_string(::getpid());
    auto backend =
        must(entry->make({.executor = executor, .run_folder = folder, .settings = {}}), "launcher");
    SandboxPtr warm_up = co_await started(backend.get());
    co_await stopped(warm_up.get());
    co_await work(executor, backend.get(), short_run);
    std::printf("]}\n");
    std::fflush(stdout);
    backend.reset();
    // Without a client the launcher ends by itself; then its folder is nobody's.
    ::syscall(SYS_close_range, 3, ~0U, 0);
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    std::filesystem::remove_all(folder);
    std::_Exit(0);
  };
  return async::run_to_end<int>([&](Executor executor) { return whole(executor, measure, quick); });
}

}  // namespace atl::bench
