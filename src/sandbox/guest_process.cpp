#include "sandbox/guest_process.hpp"

#include <signal.h>

#include <utility>

#include "guest/wire.hpp"

namespace atl::sandbox {

using async::Task;
using guest::Op;

Result<GuestSandbox*> GuestProcess::sandbox() const {
  std::shared_ptr<GuestSandbox*> sandbox = sandbox_.lock();
  if (!sandbox) return fail(Code::kNotStarted, "the sandbox is gone");
  return *sandbox;
}

Task<Result<OutputChunk>> GuestProcess::read() {
  ATOLL_CO_TRY(Chunk chunk, co_await channel_.read(GuestChannel::Until::kExit));
  OutputChunk out{.stream = OutputStream::kEnd, .bytes = std::move(chunk.bytes)};
  if (chunk.stream == guest::kStdout) out.stream = OutputStream::kStdout;
  if (chunk.stream == guest::kStderr) out.stream = OutputStream::kStderr;
  if (chunk.stream == guest::kControl) out.stream = OutputStream::kControl;
  co_return out;
}

Task<Result<void>> GuestProcess::write_stdin(std::string bytes) {
  return channel_.write(std::move(bytes));
}

Task<Result<void>> GuestProcess::close_stdin() {
  channel_.end_input();
  co_return Result<void>();
}

Task<Result<void>> GuestProcess::signal(int number) {
  ATOLL_CO_TRY(GuestSandbox * box, sandbox());
  guest::Writer args;
  args.number(facts_.exec_id).number(static_cast<std::int32_t>(number)).number(std::uint8_t{1});
  co_return co_await box->call(Op::kSignal, std::move(args).bytes());
}

Task<Result<void>> GuestProcess::resize(TerminalSize size) {
  ATOLL_CO_TRY(GuestSandbox * box, sandbox());
  guest::Writer args;
  args.number(facts_.exec_id).number(size.rows).number(size.cols);
  co_return co_await box->call(Op::kResize, std::move(args).bytes());
}

Task<Result<ExitStatus>> GuestProcess::wait() {
  ATOLL_CO_TRY(guest::ExitInfo info, co_await channel_.exit());
  using Flags = guest::ExitInfo::Flags;
  ExitStatus status{
      .exit_code = info.exit_code,
      .signal = info.signal,
      .timed_out = (info.flags & Flags::kTimedOut) != 0,
      .truncated = (info.flags & (Flags::kStdoutTruncated | Flags::kStderrTruncated)) != 0,
      .cpu_user = std::chrono::microseconds(info.user_us),
      .cpu_system = std::chrono::microseconds(info.system_us),
      .wall = std::chrono::microseconds(info.wall_us),
      .max_rss_bytes = info.max_rss_bytes,
  };
  // A shell reports its child's death as exit code 137, so that counts as well.
  bool killed = info.signal == SIGKILL || info.exit_code == 128 + SIGKILL;
  if (killed && !status.timed_out) {
    Result<GuestSandbox*> box = sandbox();
    if (box) status.oom = co_await (*box)->was_out_of_memory();
  }
  co_return status;
}

}  // namespace atl::sandbox
