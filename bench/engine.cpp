// atoll-bench-engine: what the engine costs below the command line. Prints JSON rows for
// bench/run.py. Run as root on a quiet machine; every loop is bounded in count.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "async/run.hpp"
#include "sandbox/registry.hpp"

namespace {

using atl::Result;
using atl::SandboxId;
using atl::async::Executor;
using atl::async::Task;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool first_row = true;
void row_start() {
  std::printf("%s", first_row ? "{\"rows\":[" : ",");
  first_row = false;
}

void print_times(const char* name, const char* mode, std::vector<double> times) {
  std::ranges::sort(times);
  row_start();
  std::printf(
      "{\"case\":\"%s\",\"mode\":\"%s\",\"contender\":\"atoll\",\"unit\":\"ms\",\"min\":%.4f,"
      "\"p50\":%.4f,\"p95\":%.4f}",
      name, mode, times.front(), times[times.size() / 2], times[times.size() * 95 / 100]);
}

void print_value(const char* name, const char* unit, double value) {
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

using SandboxPtr = std::unique_ptr<atl::sandbox::Sandbox>;

Task<SandboxPtr> started(atl::sandbox::Backend* backend) {
  atl::sandbox::SandboxSpec spec{.id = SandboxId::make()};
  spec.limits.cpus = 2;
  Result<SandboxPtr> made = co_await backend->create(std::move(spec));
  SandboxPtr box = must(std::move(made), "create");
  Result<void> up = co_await box->start();
  must(std::move(up), "start");
  co_return box;
}

Task<void> run_true(atl::sandbox::Sandbox* box) {
  Result<atl::sandbox::ExecResult> result = co_await box->exec({.argv = {"/bin/true"}});
  if (must(std::move(result), "exec").status.exit_code != 0) std::exit(1);
}

Task<void> life_cycles(atl::sandbox::Backend* backend, int count) {
  std::vector<double> create, exec, destroy;
  Clock::time_point begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    Clock::time_point start = Clock::now();
    SandboxPtr box = co_await started(backend);
    create.push_back(ms_since(start));
    start = Clock::now();
    co_await run_true(box.get());
    exec.push_back(ms_since(start));
    start = Clock::now();
    Result<void> stopped = co_await box->stop();
    must(std::move(stopped), "stop");
    destroy.push_back(ms_since(start));
  }
  double seconds = ms_since(begin) / 1000;
  print_times("create", "hot", std::move(create));
  print_times("first exec of true", "hot", std::move(exec));
  print_times("destroy", "hot", std::move(destroy));
  print_value("create+exec+destroy, one at a time", "1/s", count / seconds);
}

Task<void> running_sandbox(atl::sandbox::Backend* backend, int count) {
  SandboxPtr box = co_await started(backend);
  std::vector<double> exec;
  for (int i = 0; i < count; ++i) {
    Clock::time_point start = Clock::now();
    co_await run_true(box.get());
    exec.push_back(ms_since(start));
  }
  print_times("exec of true in a running sandbox", "hot", std::move(exec));

  constexpr std::uint64_t kBytes = 1ull << 30;
  Clock::time_point start = Clock::now();
  auto spawned =
      co_await box->spawn({.argv = {"/usr/bin/head", "-c", std::to_string(kBytes), "/dev/zero"}});
  auto process = must(std::move(spawned), "spawn");
  std::uint64_t seen = 0;
  for (;;) {
    auto read = co_await process->read();
    auto chunk = must(std::move(read), "read");
    if (chunk.stream == atl::sandbox::OutputStream::kEnd) break;
    seen += chunk.bytes.size();
  }
  if (seen != kBytes) std::exit(1);
  print_value("output of a running sandbox", "MB/s",
              static_cast<double>(kBytes) / 1e3 / ms_since(start));
  Result<void> stopped = co_await box->stop();
  must(std::move(stopped), "stop");
}

std::uint64_t available_memory_kb() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("MemAvailable:")) return std::strtoull(line.c_str() + 13, nullptr, 10);
  }
  return 0;
}

Task<void> idle_memory(atl::sandbox::Backend* backend, int count) {
  std::vector<SandboxPtr> boxes;
  for (int i = 0; i < count; ++i) boxes.push_back(co_await started(backend));  // slots warm up
  for (SandboxPtr& box : boxes) must(co_await box->stop(), "stop");
  boxes.clear();
  std::uint64_t before = available_memory_kb();
  for (int i = 0; i < count; ++i) {
    boxes.push_back(co_await started(backend));
    co_await run_true(boxes.back().get());
  }
  double used = static_cast<double>(before) - static_cast<double>(available_memory_kb());
  print_value("memory of an idle sandbox", "KiB", used / count);
  for (SandboxPtr& box : boxes) must(co_await box->stop(), "stop");
}

// A sandbox full of processes that fork and allocate as fast as they can, and how long it takes
// until nothing of it is left.
Task<void> destroy_bombs(atl::sandbox::Backend* backend, int count) {
  constexpr const char* kBomb =
      "memory() { python3 -c 'while True: x = bytearray(400 << 20)'; memory; }; memory & memory & "
      "bomb() { bomb | bomb & }; bomb; sleep 60";
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    SandboxPtr box = co_await started(backend);
    auto spawned = co_await box->spawn({.argv = {"/bin/bash", "-c", kBomb}, .background = true});
    auto process = must(std::move(spawned), "spawn");
    for (std::uint64_t processes = 0; processes < 90;) {  // of 100 that it may have
      auto usage = co_await box->usage();
      processes = must(std::move(usage), "usage").pids;
    }
    Clock::time_point start = Clock::now();
    must(co_await box->stop(), "stop");
    times.push_back(ms_since(start));
  }
  std::ranges::sort(times);
  print_value("destroy while bombing, p99", "ms", times[times.size() * 99 / 100]);
  print_times("destroy while bombing", "hot", std::move(times));
}

Task<int> measure(Executor executor, bool quick) {
  atl::sandbox::Registry registry;
  atl::backends::register_all_backends(registry);
  const atl::sandbox::BackendEntry* entry = must(registry.get("native"), "backend");
  std::string folder = "/run/atoll-bench-" + std::to_string(::getpid());
  auto backend =
      must(entry->make({.executor = executor, .run_folder = folder, .settings = {}}), "launcher");
  SandboxPtr warm_up = co_await started(backend.get());
  must(co_await warm_up->stop(), "stop");
  co_await life_cycles(backend.get(), quick ? 50 : 500);
  co_await running_sandbox(backend.get(), quick ? 100 : 1000);
  co_await idle_memory(backend.get(), quick ? 20 : 100);
  co_await destroy_bombs(backend.get(), quick ? 5 : 100);
  std::printf("]}\n");
  // Without a client the launcher ends by itself; then its folder is nobody's.
  backend.reset();
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  std::filesystem::remove_all(folder);
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = std::any_of(argv, argv + argc,
                           [](const char* arg) { return std::strcmp(arg, "--quick") == 0; });
  return atl::async::run_to_end<int>(
      [quick](Executor executor) { return measure(std::move(executor), quick); });
}
