// For bench programs that use the C++ interface: sandboxes of the native backend, and an end with a
// sentence when something fails.
#pragma once

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "async/run.hpp"
#include "figures.hpp"
#include "sandbox/registry.hpp"

namespace atl::bench {

using async::Executor;
using async::Task;
using sandbox::Backend;
using SandboxPtr = std::unique_ptr<sandbox::Sandbox>;

template <typename T>
T must(Result<T> result, const char* what) {
  if (!result) give_up(std::string(what) + ": " + result.error().to_string());
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

inline Task<void> run_true(sandbox::Sandbox* box) {
  Result<sandbox::ExecResult> result = co_await box->exec({.argv = {"/bin/true"}});
  if (must(std::move(result), "exec").status.exit_code != 0) std::exit(1);
}

inline Task<double> time_true(sandbox::Sandbox* box) {
  Clock::time_point start = Clock::now();
  co_await run_true(box);
  co_return ms_since(start);
}

// Runs `measure` with a backend of its own; returns what main() shall.
inline int run_bench(int argc, char** argv,
                     Task<void> (*measure)(Executor executor, Backend* backend, bool quick),
                     std::string name = "native", std::any config = {}) {
  bool quick = std::any_of(argv, argv + argc,
                           [](const char* arg) { return std::strcmp(arg, "--quick") == 0; });
  auto whole = [](Executor executor, auto* work, bool short_run, std::string backend_name,
                  std::any told) -> Task<int> {
    sandbox::Registry registry;
    backends::register_all_backends(registry);
    const sandbox::BackendEntry* entry = must(registry.get(backend_name), "backend");
    std::string folder = "/run/atoll-bench-" + std::to_string(::getpid());
    auto backend =
        must(entry->make({.executor = executor, .config = std::move(told), .run_folder = folder}),
             "backend");
    SandboxPtr warm_up = co_await started(backend.get());
    co_await stopped(warm_up.get());
    co_await work(executor, backend.get(), short_run);
    rows_end();
    backend.reset();
    // Without a client the launcher ends by itself; then its folder is nobody's.
    ::syscall(SYS_close_range, 3, ~0U, 0);
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    std::filesystem::remove_all(folder);
    std::_Exit(0);
  };
  return async::run_to_end<int>([&](Executor executor) {
    return whole(executor, measure, quick, std::move(name), std::move(config));
  });
}

}  // namespace atl::bench
