#include <fstream>
#include <utility>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "sandbox/conformance.hpp"

namespace atl::sandbox {

using async::Task;

namespace {

// A case that hangs fails instead of stopping the whole program.
constexpr std::chrono::seconds kPatience{120};

Task<Result<void>> as_result(Task<void> body) {
  co_await std::move(body);
  co_return Result<void>();
}

Task<void> run_case(async::Executor executor, ConformanceTarget* target, Task<void> (*body)(Box*)) {
  Box box{.executor = executor, .target = target};
  ATOLL_NEED(box.backend, target->make(executor));
  ATOLL_NEED(box.sandbox, co_await box.backend->create(target->spec()));
  ATOLL_NEED_OK(co_await box.sandbox->start());
  Result<void> done = co_await async::with_deadline(
      as_result(body(&box)), async::deadline_in(kPatience), Code::kExecTimeout, "the case hangs");
  if (!done) ADD_FAILURE() << done.error().to_string();
  if (box.sandbox) ATOLL_NEED_OK(co_await box.sandbox->stop());
}

}  // namespace

void Conformance::run(Case body, std::initializer_list<Cap> needs) {
  std::unique_ptr<ConformanceTarget> target = GetParam()();
  for (Cap cap : needs) {
    if (!target->entry().has(cap)) {
      GTEST_SKIP() << target->entry().name << " does not declare " << cap_name(cap);
    }
  }
  if (Result<void> usable = target->entry().probe(); !usable) {
    GTEST_SKIP() << target->entry().name << ": " << usable.error().message();
  }
  async::run_to_end<void>(
      [&](async::Executor executor) { return run_case(std::move(executor), target.get(), body); });
}

Task<Result<std::unique_ptr<Sandbox>>> ConformanceTarget::crash_and_reattach(
    std::unique_ptr<Backend>* backend, std::unique_ptr<Sandbox> sandbox) {
  SandboxId id = sandbox->id();
  async::Executor executor = co_await boost::asio::this_coro::executor;
  sandbox.reset();
  backend->reset();
  ATOLL_CO_TRY(*backend, make(executor));
  co_return co_await (*backend)->reattach(std::move(id));
}

Task<Result<ExecResult>> collect(Process* process) {
  ExecResult result;
  for (;;) {
    ATOLL_CO_TRY(OutputChunk chunk, co_await process->read());
    if (chunk.stream == OutputStream::kEnd) break;
    result.output += chunk.bytes;
    (chunk.stream == OutputStream::kStdout ? result.stdout_bytes : result.stderr_bytes) +=
        chunk.bytes;
  }
  ATOLL_CO_TRY(result.status, co_await process->wait());
  co_return result;
}

Task<Result<std::string>> read_until(Process* process, std::string text) {
  std::string seen;
  while (seen.find(text) == std::string::npos) {
    ATOLL_CO_TRY(OutputChunk chunk, co_await process->read());
    if (chunk.stream == OutputStream::kEnd)
      co_return fail(Code::kIo, text.append(" never came, but: ").append(seen));
    if (chunk.stream == OutputStream::kStdout) seen += chunk.bytes;
  }
  co_return seen;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

std::size_t peak_memory() {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 0;  // a sanitizer keeps freed memory back, so the figure says nothing
#else
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
#endif
}

}  // namespace atl::sandbox
