#include "control/terminals.hpp"

#include <csignal>
#include <utility>

#include "async/deadline.hpp"
#include "control/box_path.hpp"
#include "control/session_environment.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::chrono::seconds kGrace{2};
constexpr const char* kShell = "command -v bash >/dev/null && exec bash; exec sh";

}  // namespace

Terminal::Terminal(Caller caller, Use use, sandbox::ExecRequest program, std::string shown,
                   Audit& audit)
    : caller_(std::move(caller)),
      use_(std::move(use)),
      program_(std::move(program)),
      shown_(std::move(shown)),
      audit_(audit) {}

Task<Result<void>> Terminal::start() {
  store::AuditRow opened = audit_row(caller_, {.action = model::AuditAction::kTerminalOpened,
                                               .session_id = use_.session().row.id,
                                               .detail = shown_});
  if (audit_.is_strict()) ATOLL_CO_CHECK(co_await audit_.record(opened));
  ATOLL_CO_TRY(process_, co_await use_.sandbox().spawn(std::move(program_)));
  if (!audit_.is_strict()) audit_.soon(std::move(opened));
  co_return Result<void>();
}

Task<Result<std::string>> Terminal::read() {
  for (;;) {
    ATOLL_CO_TRY(sandbox::OutputChunk chunk, co_await process_->read());
    if (chunk.stream == sandbox::OutputStream::kEnd) co_return std::string();
    if (!chunk.bytes.empty()) co_return std::move(chunk.bytes);
  }
}

Task<Result<void>> Terminal::write(std::string bytes) {
  return process_->write_stdin(std::move(bytes));
}

Task<Result<void>> Terminal::resize(std::uint16_t rows, std::uint16_t cols) {
  return process_->resize({.rows = rows, .cols = cols});
}

Task<Result<void>> Terminal::signal(int number) { return process_->signal(number); }

Task<void> Terminal::hang_up() {
  (void)co_await process_->signal(SIGHUP);
  co_await async::sleep_for(kGrace);
  (void)co_await process_->signal(SIGKILL);
}

Task<Result<TerminalExit>> Terminal::wait() {
  ATOLL_CO_TRY(sandbox::ExitStatus status, co_await process_->wait());
  co_return TerminalExit{.exit_code = status.exit_code, .signal = status.signal};
}

Task<Result<std::shared_ptr<Terminal>>> Terminals::open(Caller caller, SessionId id,
                                                        TerminalRequest request) {
  ATOLL_CO_TRY(Use use, co_await sessions_.use(caller, std::move(id)));
  std::string cwd;
  if (!request.cwd.empty()) {
    ATOLL_CO_TRY(cwd, box_path(request.cwd, use.sandbox().workspace()));
  }
  std::string shown = program_of(request.command);
  auto program =
      sandbox::ExecRequest::shell(request.command.empty() ? kShell : std::move(request.command));
  program.env = environment_of(use.session().row);
  program.env.emplace("TERM", "xterm-256color");
  program.cwd = std::move(cwd);
  program.stdin_open = true;
  program.terminal = {.rows = request.rows, .cols = request.cols};
  co_return std::make_shared<Terminal>(std::move(caller), std::move(use), std::move(program),
                                       std::move(shown), audit_);
}

}  // namespace atl::control
