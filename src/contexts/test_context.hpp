// A context in a TestSandbox, for tests that are coroutines.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "contexts/context.hpp"
#include "contexts/test_sandbox.hpp"

namespace atl::contexts {

using async::Executor;
using async::Task;

struct Rig {
  explicit Rig(Executor with) : executor(std::move(with)) {}
  Executor executor;
  TestSandbox sandbox;
  std::unique_ptr<Context> context;

  TestDriver& driver() { return *sandbox.drivers.back(); }
};

inline Task<Result<void>> guarded(Task<void> body) {
  co_await std::move(body);
  co_return Result<void>();
}

inline Task<void> with_context(Executor executor, Task<void> (*body)(Rig*)) {
  Rig rig(executor);
  Result<std::unique_ptr<Context>> context =
      co_await Context::open(&rig.sandbox, {.grace = std::chrono::milliseconds(20)});
  EXPECT_TRUE(context.has_value());
  if (!context) co_return;
  rig.context = std::move(*context);
  Result<void> done = co_await async::with_deadline(guarded(body(&rig)),
                                                    async::deadline_in(std::chrono::seconds(30)),
                                                    Code::kExecTimeout, "the test hangs");
  EXPECT_TRUE(done.has_value());
}

inline void run_test(Task<void> (*body)(Rig*)) {
  async::run_to_end<void>(
      [body](Executor executor) { return with_context(std::move(executor), body); });
}

inline Task<RunResult> run_code(Rig* rig, std::string code) {
  Result<RunResult> result = co_await rig->context->run({.code = std::move(code)});
  EXPECT_TRUE(result.has_value()) << result.error().to_string();
  co_return result ? std::move(*result) : RunResult{};
}

inline Task<void> keep(Context* context, RunRequest request,
                       std::optional<Result<RunResult>>* into) {
  into->emplace(co_await context->run(std::move(request)));
}

}  // namespace atl::contexts
