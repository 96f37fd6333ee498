// atoll-bench-engine: what the engine costs below the command line. Prints JSON rows for
// bench/run.py. Run as root on a quiet machine; every loop is bounded in count.
#include "common.hpp"

namespace atl::bench {
namespace {

Task<void> life_cycles(Backend* backend, int count) {
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
    co_await stopped(box.get());
    destroy.push_back(ms_since(start));
  }
  double seconds = ms_since(begin) / 1000;
  print_times("create", "hot", std::move(create));
  print_times("first exec of true", "hot", std::move(exec));
  print_times("destroy", "hot", std::move(destroy));
  print_value("create+exec+destroy, one at a time", "1/s", count / seconds);
}

Task<void> running_sandbox(Backend* backend, int count) {
  SandboxPtr box = co_await started(backend);
  std::vector<double> exec;
  for (int i = 0; i < count; ++i) exec.push_back(co_await time_true(box.get()));
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
    if (chunk.stream == sandbox::OutputStream::kEnd) break;
    seen += chunk.bytes.size();
  }
  if (seen != kBytes) std::exit(1);
  print_value("output of a running sandbox", "MB/s",
              static_cast<double>(kBytes) / 1e3 / ms_since(start));
  co_await stopped(box.get());
}

Task<void> idle_memory(Backend* backend, int count) {
  std::vector<SandboxPtr> boxes;
  for (int i = 0; i < count; ++i) boxes.push_back(co_await started(backend));  // slots warm up
  for (SandboxPtr& box : boxes) co_await stopped(box.get());
  boxes.clear();
  double before = available_memory_kb();
  for (int i = 0; i < count; ++i) {
    boxes.push_back(co_await started(backend));
    co_await run_true(boxes.back().get());
  }
  double used = before - available_memory_kb();
  print_value("memory of an idle sandbox", "KiB", used / count);
  for (SandboxPtr& box : boxes) co_await stopped(box.get());
}

// A sandbox full of processes that fork and allocate as fast as they can, and how long it takes
// until nothing of it is left.
Task<void> destroy_bombs(Backend* backend, int count) {
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
    co_await stopped(box.get());
    times.push_back(ms_since(start));
  }
  std::ranges::sort(times);
  print_value("destroy while bombing, p99", "ms", times[times.size() * 99 / 100]);
  print_times("destroy while bombing", "hot", std::move(times));
}

Task<void> measure(Executor, Backend* backend, bool quick) {
  co_await life_cycles(backend, quick ? 50 : 500);
  co_await running_sandbox(backend, quick ? 100 : 1000);
  co_await idle_memory(backend, quick ? 20 : 100);
  co_await destroy_bombs(backend, quick ? 5 : 100);
}

}  // namespace
}  // namespace atl::bench

int main(int argc, char** argv) { return atl::bench::run_bench(argc, argv, &atl::bench::measure); }
