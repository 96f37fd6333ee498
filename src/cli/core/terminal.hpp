// The caller's terminal in raw mode while this object lives: every key goes to the terminal inside.
// The old settings come back on every way out, crashes included; only SIGKILL is too fast. One at a
// time in a process.
#pragma once

#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

class RawTerminal {
 public:
  // Switches the terminal on stdin.
  static Result<RawTerminal> enter();
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal();

  // Ctrl-Z from outside: gives the terminal back, sleeps until continued, takes it again.
  void suspend();

 private:
  explicit RawTerminal(bool active) : active_(active) {}
  bool active_;
};

// Of the terminal on stdout or stdin; 24 x 80 when nobody knows.
sandbox::TerminalSize terminal_size();

}  // namespace atl::cli
