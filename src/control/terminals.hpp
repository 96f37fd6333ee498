// Terminals: a program on a pseudo terminal in a session, for one client. On the I/O thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/sessions.hpp"

namespace atl::control {

struct TerminalRequest {
  std::string command;  // empty: bash, or sh where there is none
  std::string cwd;      // as box_path.hpp has it; empty: the workspace
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
};

struct TerminalExit {
  int exit_code = 0;
  int signal = 0;  // 0: it ended by itself
};

// While it lives the session counts as used.
class Terminal {
 public:
  // `shown` is what the audit says of the program.
  Terminal(Caller caller, Use use, sandbox::ExecRequest program, std::string shown, Audit& audit);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Nothing runs before.
  async::Task<Result<void>> start();
  // What it prints, in order; empty at the end.
  async::Task<Result<std::string>> read();
  async::Task<Result<void>> write(std::string bytes);
  async::Task<Result<void>> resize(std::uint16_t rows, std::uint16_t cols);
  async::Task<Result<void>> signal(int number);
  // The client is gone: so is the program, after a moment in which it can end by itself.
  async::Task<void> hang_up();
  // Behind the end of its output.
  async::Task<Result<TerminalExit>> wait();

 private:
  Caller caller_;
  Use use_;
  sandbox::ExecRequest program_;
  std::string shown_;
  Audit& audit_;
  std::unique_ptr<sandbox::Process> process_;
};

class Terminals {
 public:
  Terminals(Sessions& sessions, Audit& audit) : sessions_(sessions), audit_(audit) {}

  // Waits while the session is being made.
  async::Task<Result<std::shared_ptr<Terminal>>> open(Caller caller, SessionId id,
                                                      TerminalRequest request);

 private:
  Sessions& sessions_;
  Audit& audit_;
};

}  // namespace atl::control
