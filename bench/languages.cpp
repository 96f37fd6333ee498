// atoll-bench-languages: Python from a zygote, started plainly and under bwrap, and runs in a live
// context. Prints JSON rows for bench/run.py. Run as root on a quiet machine.
#include "async/deadline.hpp"
#include "async/task_group.hpp"
#include "common.hpp"
#include "contexts/context.hpp"

namespace atl::bench {
namespace {

constexpr const char* kPrint = "print(1)";
constexpr const char* kNumpy = "import numpy; print(numpy.arange(10).sum())";
constexpr const char* kPandas = "import pandas; print(pandas.DataFrame({'a': [1, 2]})['a'].sum())";

sandbox::Preload preload_of(std::vector<std::string> modules, bool for_contexts = false) {
  return {
      .modules = std::move(modules), .for_contexts = for_contexts, .idle = std::chrono::seconds(5)};
}

Task<void> run_code(sandbox::Sandbox* box, const char* code, bool zygote) {
  sandbox::ExecRequest request{.argv = {"python3", "-c", code}};
  request.zygote = zygote;
  Result<sandbox::ExecResult> result = co_await box->exec(std::move(request));
  if (must(std::move(result), "exec").status.exit_code != 0) std::exit(1);
}

// Create, run, result, destroy; `until_result` without the last step.
struct Times {
  std::vector<double> whole, until_result;
};

Task<void> one_life(Backend* backend, sandbox::Preload* preload, const char* code, bool zygote,
                    Times* times) {
  Clock::time_point start = Clock::now();
  std::optional<sandbox::Preload> wanted;
  if (zygote) wanted = *preload;
  SandboxPtr box = co_await started(backend, std::move(wanted));
  if (zygote && !box->status().has_zygote) std::exit(1);
  co_await run_code(box.get(), code, zygote);
  times->until_result.push_back(ms_since(start));
  co_await stopped(box.get());
  times->whole.push_back(ms_since(start));
}

// All contenders take turns.
Task<void> fresh_sandboxes(Backend* backend, std::string name, std::vector<std::string> modules,
                           const char* code, int rounds) {
  sandbox::Preload preload = preload_of(std::move(modules));
  Result<sandbox::ZygoteReport> ready = co_await backend->prepare(preload);
  if (!must(std::move(ready), "zygote").missing.empty()) co_return;  // not installed here
  Times zygote, plain;
  std::vector<double> bwrap;
  for (int i = 0; i < rounds; ++i) {
    co_await one_life(backend, &preload, code, true, &zygote);
    co_await one_life(backend, &preload, code, false, &plain);
    bwrap.push_back(time_bwrap({"/usr/bin/python3", "-c", code}));
  }
  std::string life = name + ", fresh sandbox, with its destruction";
  print_times(life.c_str(), "hot", std::move(zygote.whole), "atoll zygote");
  print_times(life.c_str(), "hot", std::move(plain.whole), "atoll plain");
  print_times(life.c_str(), "hot", std::move(bwrap), "bwrap");
  std::string result = name + ", fresh sandbox, until the result";
  print_times(result.c_str(), "hot", std::move(zygote.until_result), "atoll zygote");
  print_times(result.c_str(), "hot", std::move(plain.until_result), "atoll plain");
}

Task<void> burst_member(Backend* backend, sandbox::Preload* preload,
                        std::vector<SandboxPtr>* parked, std::vector<SandboxPtr>* used) {
  SandboxPtr box;
  if (!parked->empty()) {
    box = std::move(parked->back());
    parked->pop_back();
  } else {
    box = co_await started(backend, *preload);
  }
  co_await run_code(box.get(), kNumpy, true);
  used->push_back(std::move(box));
}

Task<void> burst(Executor executor, Backend* backend, int count) {
  sandbox::Preload preload = preload_of({"numpy"});
  Result<sandbox::ZygoteReport> ready = co_await backend->prepare(preload);
  if (!must(std::move(ready), "zygote").missing.empty()) co_return;
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) {
    std::vector<SandboxPtr> parked, used;
    for (int i = 0; i < 5; ++i) parked.push_back(co_await started(backend, preload));
    Clock::time_point start = Clock::now();
    async::TaskGroup group(executor);
    for (int i = 0; i < count; ++i) group.spawn(burst_member(backend, &preload, &parked, &used));
    co_await group.wait_idle();
    times.push_back(ms_since(start));
    if (used.size() != static_cast<std::size_t>(count)) std::exit(1);
    for (SandboxPtr& box : used) co_await stopped(box.get());
    co_await group.join();
  }
  print_times("100 sandboxes at once, pool 5, a numpy result each", "burst", std::move(times));
}

Task<void> live_context(Backend* backend, int rounds) {
  sandbox::Preload preload = preload_of({}, true);
  Result<sandbox::ZygoteReport> ready = co_await backend->prepare(preload);
  must(std::move(ready), "zygote");
  SandboxPtr box = co_await started(backend, preload);
  Clock::time_point start = Clock::now();
  auto opened = co_await contexts::Context::open(box.get(), {});
  auto context = must(std::move(opened), "context");
  double opening = ms_since(start);
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    start = Clock::now();
    auto ran = co_await context->run({.code = "1+1"});
    times.push_back(ms_since(start));
    if (must(std::move(ran), "run").shown.size() != 1) std::exit(1);
  }
  print_value("opening a context from a zygote", "ms", opening);
  print_times("1+1 in a live context", "hot", std::move(times));
  Result<void> closed = co_await context->close();
  must(std::move(closed), "close");
  co_await stopped(box.get());
}

// The standard library is loaded. Without a context an interpreter waits for the next program.
Task<void> idle_memory(Backend* backend, bool with_context, int count) {
  struct Idle {
    SandboxPtr box;
    std::unique_ptr<contexts::Context> context;
  };
  sandbox::Preload preload = preload_of({}, with_context);
  Result<sandbox::ZygoteReport> ready = co_await backend->prepare(preload);
  must(std::move(ready), "zygote");
  for (int round = 0; round < 2; ++round) {  // the first warms up slots and caches
    std::vector<Idle> all;
    double before = held_memory_kb();
    for (int i = 0; i < count; ++i) {
      Idle idle{.box = co_await started(backend, preload), .context = {}};
      co_await run_code(idle.box.get(), kPrint, true);
      if (with_context) {
        auto opened = co_await contexts::Context::open(idle.box.get(), {});
        idle.context = must(std::move(opened), "context");
        auto ran = co_await idle.context->run({.code = "x = 1"});
        must(std::move(ran), "run");
      }
      all.push_back(std::move(idle));
    }
    co_await async::sleep_for(std::chrono::seconds(2));  // until the next one is parked
    double used = held_memory_kb() - before;
    const char* what = with_context ? "memory of an idle Python context with IPython"
                                    : "memory of an idle Python sandbox";
    if (round == 1) print_value(what, "KiB", used / count);
    for (Idle& idle : all) {
      if (idle.context) {
        Result<void> closed = co_await idle.context->close();
        must(std::move(closed), "close");
      }
      co_await stopped(idle.box.get());
    }
  }
}

Task<void> measure(Executor executor, Backend* backend, bool quick) {
  int rounds = quick ? 20 : 200;
  co_await fresh_sandboxes(backend, "print(1)", {}, kPrint, rounds);
  co_await fresh_sandboxes(backend, "a numpy result", {"numpy"}, kNumpy, rounds / 4);
  co_await fresh_sandboxes(backend, "a pandas result", {"numpy", "pandas"}, kPandas, rounds / 8);
  co_await burst(executor, backend, 100);
  co_await live_context(backend, rounds * 5);
  for (bool with_context : {false, true}) {
    co_await idle_memory(backend, with_context, quick ? 10 : 50);
  }
}

}  // namespace
}  // namespace atl::bench

int main(int argc, char** argv) { return atl::bench::run_bench(argc, argv, &atl::bench::measure); }
