// The suite that every backend must pass. A test program links atoll_conformance and says
//
//   INSTANTIATE_TEST_SUITE_P(Fake, Conformance, testing::Values(ConformanceKind(…)));
//
// Each case gets a fresh, started sandbox and must leave nothing behind. Cases use only what a
// Debian root offers (sh, coreutils, python3) and paths below workspace(). No case sleeps to wait
// for something, and none measures time.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "async/task.hpp"
#include "base/result.hpp"
#include "sandbox/backend.hpp"
#include "sandbox/registry.hpp"

namespace atl::sandbox {

// How a backend is brought into the suite.
class ConformanceTarget {
 public:
  virtual ~ConformanceTarget() = default;
  virtual const BackendEntry& entry() const = 0;
  virtual Result<std::unique_ptr<Backend>> make(async::Executor executor) = 0;
  virtual SandboxSpec spec() const { return SandboxSpec{.id = SandboxId::make()}; }
  // Loses every object of this process that belongs to the sandbox, as a crash would, and finds the
  // sandbox again. A backend with helper processes kills those, too.
  virtual async::Task<Result<std::unique_ptr<Sandbox>>> crash_and_reattach(
      std::unique_ptr<Backend>* backend, std::unique_ptr<Sandbox> sandbox);
};

using ConformanceKind = std::function<std::unique_ptr<ConformanceTarget>()>;

// What a case works with.
struct Box {
  async::Executor executor;
  ConformanceTarget* target = nullptr;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Sandbox> sandbox;

  std::string path(const std::string& name) const { return sandbox->workspace() + "/" + name; }
};

class Conformance : public testing::TestWithParam<ConformanceKind> {
 protected:
  using Case = async::Task<void> (*)(Box* box);
  // Skips when the backend does not declare what the case needs.
  void run(Case body, std::initializer_list<Cap> needs = {});
};

// Reads a process to its end.
async::Task<Result<ExecResult>> collect(Process* process);
// Reads until `text` has appeared on stdout; everything read so far.
async::Task<Result<std::string>> read_until(Process* process, std::string text);
// Peak resident memory of this process since the last reset.
void reset_peak_memory();
std::size_t peak_memory();

}  // namespace atl::sandbox

// ATOLL_NEED(auto file, co_await box->stat(path)); declares file, or fails the case and leaves it.
#define ATOLL_NEED(decl, ...) \
  ATOLL_NEED_WITH(ATOLL_CONCAT(atoll_need_, __LINE__), decl, __VA_ARGS__)
#define ATOLL_NEED_WITH(result, decl, ...)                               \
  auto result = __VA_ARGS__;                                             \
  if (!result) {                                                         \
    ADD_FAILURE() << #__VA_ARGS__ << ": " << result.error().to_string(); \
    co_return;                                                           \
  }                                                                      \
  decl = std::move(*result)
#define ATOLL_NEED_OK(...)                                                      \
  if (auto atoll_outcome = __VA_ARGS__; !atoll_outcome) {                       \
    ADD_FAILURE() << #__VA_ARGS__ << ": " << atoll_outcome.error().to_string(); \
    co_return;                                                                  \
  }                                                                             \
  static_assert(true)
#define ATOLL_EXPECT_CODE(wanted, ...)                                    \
  if (auto atoll_outcome = __VA_ARGS__; atoll_outcome) {                  \
    ADD_FAILURE() << #__VA_ARGS__ << " succeeded";                        \
  } else                                                                  \
    EXPECT_EQ(code_name(atoll_outcome.error().code()), code_name(wanted)) \
        << atoll_outcome.error().to_string()
