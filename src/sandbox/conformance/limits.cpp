// Memory and processes: what is too much is refused or ends the program, and the sandbox goes on.
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

Task<void> goes_on(Box* box) {
  ATOLL_NEED(ExecResult after, co_await box->sandbox->exec({.argv = {"echo", "alive"}}));
  EXPECT_EQ(after.stdout_bytes, "alive\n");
}

Task<void> memory(Box* box) {
  ATOLL_NEED(
      ExecResult result,
      co_await box->sandbox->exec(
          {.argv = {"python3", "-c", "b = bytearray(b'x' * (1 << 30)); print('all of it')"}}));
  EXPECT_NE(result.status.exit_code, 0);
  EXPECT_EQ(result.stdout_bytes, "");
  co_await goes_on(box);
}
TEST_P(Conformance, MemoryIsLimited) { run(&memory, {Cap::kLimits}); }

// They end again before the next program is asked for.
constexpr const char* kFork = R"(
import os, signal
children = []
try:
    for _ in range(300):
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except OSError as error:
    print('refused', error.errno)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
)";

Task<void> processes(Box* box) {
  ATOLL_NEED(ExecResult result, co_await box->sandbox->exec({.argv = {"python3", "-c", kFork}}));
  EXPECT_EQ(result.stdout_bytes, "refused 11\n") << result.stderr_bytes;
  co_await goes_on(box);
}
TEST_P(Conformance, ProcessesAreLimited) { run(&processes, {Cap::kLimits}); }

}  // namespace
}  // namespace atl::sandbox
