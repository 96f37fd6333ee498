#include "cli/core/terminal.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <utility>

namespace atl::cli {
namespace {

// What a crash handler needs; written before the handlers are installed.
termios saved_settings;
volatile sig_atomic_t saved_valid = 0;

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void restore_settings() {
  if (saved_valid != 0) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &saved_settings);
}

void on_crash(int number) {
  if (saved_valid != 0) ::tcsetattr(STDIN_FILENO, TCSANOW, &saved_settings);
  ::raise(number);  // SA_RESETHAND: this time it is fatal
}

bool make_raw() {
  termios raw = saved_settings;
  ::cfmakeraw(&raw);
  return ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

}  // namespace

Result<RawTerminal> RawTerminal::enter() {
  if (::tcgetattr(STDIN_FILENO, &saved_settings) != 0) return fail_errno("tcgetattr");
  saved_valid = 1;
  struct sigaction action{};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int number : kCrashes) ::sigaction(number, &action, nullptr);
  if (!make_raw()) return fail_errno("tcsetattr");
  return RawTerminal(true);
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : active_(std::exchange(other.active_, false)) {}

RawTerminal::~RawTerminal() {
  if (active_) restore_settings();
}

void RawTerminal::suspend() {
  restore_settings();
  ::kill(::getpid(), SIGSTOP);
  make_raw();
}

sandbox::TerminalSize terminal_size() {
  winsize size{};
  bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ||
               ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0;
  if (!known || size.ws_row == 0 || size.ws_col == 0) return {};
  return {.rows = size.ws_row, .cols = size.ws_col};
}

}  // namespace atl::cli
