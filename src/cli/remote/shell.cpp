#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "async/signals.hpp"
#include "async/stream.hpp"
#include "async/task_group.hpp"
#include "base/write_all.hpp"
#include "cli/core/output.hpp"
#include "cli/core/terminal.hpp"
#include "cli/remote/remote.hpp"
#include "client/names.hpp"
#include "client/terminal.hpp"

namespace atl::cli {
namespace {

using async::Task;

constexpr std::uint16_t kMostLines = 1000;  // as the server takes them

sandbox::TerminalSize shown_size() {
  sandbox::TerminalSize size = terminal_size();
  return {.rows = std::min(size.rows, kMostLines), .cols = std::min(size.cols, kMostLines)};
}

struct Shell {
  Shell(Remote* with, client::Terminal over)
      : executor(with->executor),
        terminal(std::move(over)),
        output(executor, false, UINT64_MAX),
        work(executor),
        helpers(executor) {}

  async::Executor executor;
  client::Terminal terminal;
  Output output;
  std::optional<RawTerminal> raw;
  async::TaskGroup work;     // what the shell prints
  async::TaskGroup helpers;  // keys and signals
  int ended_by = 0;          // a signal to us
  Result<int> status = 0;
};

Task<void> pass_keys(Shell* shell) {
  UniqueFd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!copy) co_return;
  async::Stream keys(shell->executor, std::move(copy), async::FdKind::kShared);
  std::string buffer(16 * 1024, '\0');
  for (;;) {
    Result<std::size_t> got = co_await keys.read_some(buffer);
    if (!got && got.error().code() == Code::kCancelled) co_return;  // the shell has ended
    if (!got || *got == 0) break;
    Result<void> typed = co_await shell->terminal.type(buffer.substr(0, *got));
    if (!typed) co_return;  // its reader says why
  }
  shell->ended_by = SIGHUP;  // the terminal is gone
  shell->work.close();
}

Task<void> watch_signals(async::Signals* signals, Shell* shell) {
  for (;;) {
    Result<int> number = co_await signals->next();
    if (!number) co_return;
    bool resized = *number == SIGWINCH || *number == SIGTSTP;
    if (*number == SIGTSTP && shell->raw) shell->raw->suspend();
    if (!resized) {
      shell->ended_by = *number;
      co_return shell->work.close();
    }
    sandbox::TerminalSize size = shown_size();
    (void)co_await shell->terminal.resize(size.rows, size.cols);
  }
}

Task<Result<int>> show_screen(Shell* shell) {
  for (;;) {
    ATOLL_CO_TRY(client::Terminal::Output said, co_await shell->terminal.read());
    if (said.exit_code) co_return *said.exit_code;
    ATOLL_CO_CHECK(co_await shell->output.take(
        {.stream = sandbox::OutputStream::kStdout, .bytes = std::move(said.bytes)}));
  }
}

Task<void> work(Shell* shell) { shell->status = co_await show_screen(shell); }

// A session that cannot have a terminal says so better than a refused WebSocket.
Task<Result<SessionId>> find_live_session(Remote* remote) {
  ATOLL_CO_TRY(SessionId id, co_await client::find_session(&remote->api, remote->options.words[0]));
  ATOLL_CO_TRY(bodies::SessionBody session, co_await remote->api.get_session(id));
  if (!session.ended_at) co_return id;
  co_return fail(Code::kConflict,
                 "session " + id.str() + " has ended: it is " + codec::name_of(session.status));
}

}  // namespace

RemoteTask open_shell(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() != 1) {
    co_return fail(Code::kInvalidArgument, "shell: name one session; atoll ps lists them");
  }
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
    co_return fail(Code::kInvalidArgument,
                   "shell: stdin and stdout must be a terminal; atoll exec -i needs none");
  }
  ATOLL_CO_TRY(SessionId id, co_await find_live_session(remote));
  sandbox::TerminalSize size = shown_size();
  client::TerminalOptions wanted{
      .rows = size.rows, .cols = size.cols, .command = options.command, .cwd = options.workdir};
  ATOLL_CO_TRY(client::Terminal terminal,
               co_await client::Terminal::open(&remote->api, id, std::move(wanted)));
  Shell shell(remote, std::move(terminal));
  ATOLL_CO_TRY(async::Signals signals,
               async::Signals::listen(remote->executor,
                                      {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP}));
  ATOLL_CO_TRY(RawTerminal raw, RawTerminal::enter());
  shell.raw.emplace(std::move(raw));
  shell.helpers.spawn(watch_signals(&signals, &shell));
  shell.helpers.spawn(pass_keys(&shell));
  shell.work.spawn(work(&shell));
  co_await shell.work.wait_idle();
  co_await shell.helpers.join();
  shell.raw.reset();
  if (shell.ended_by != 0) co_return 128 + shell.ended_by;
  if (!shell.status) write_all(STDERR_FILENO, "\n");  // the cursor is anywhere
  co_return shell.status;
}

}  // namespace atl::cli
