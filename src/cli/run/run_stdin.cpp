#include <fcntl.h>
#include <unistd.h>

#include "cli/run/run_state.hpp"

namespace atl::cli {

async::Task<void> pump_stdin(async::Executor executor, RunState* state) {
  UniqueFd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (copy) {
    async::Stream input(executor, std::move(copy), async::FdKind::kShared);
    std::string buffer(64 * 1024, '\0');
    while (true) {
      Result<std::size_t> got = co_await input.read_some(buffer);
      if (!got || *got == 0) break;
      Result<void> written = co_await state->process->write_stdin(buffer.substr(0, *got));
      if (!written) co_return;  // the program closed its stdin or is gone: neither is our failure
    }
  }
  (void)co_await state->process->close_stdin();
}

}  // namespace atl::cli
