#include "cli/core/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/write_all.hpp"

namespace atl::cli {

bool use_color(ColorMode mode, int fd) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return ::isatty(fd) == 1;
}

std::string printable(std::string text, bool with_lines) {
  unsigned char before = 0;
  for (char& letter : text) {
    auto byte = static_cast<unsigned char>(letter);
    bool is_high = before == 0xc2 && byte >= 0x80 && byte < 0xa0;  // U+0080 to U+009F
    if (with_lines && byte == '\n') continue;
    if (byte < 0x20 || byte == 0x7f || is_high) letter = '?';
    if (is_high) (&letter)[-1] = '?';
    before = byte;
  }
  return text;
}

std::string_view hint_for(Code code) {
  switch (code) {
    case Code::kLimitUnenforceable:
      return "leave the option out, or run as root; `atoll doctor` shows what this host can "
             "enforce";
    case Code::kHostUnsupported:
      return "`atoll doctor` shows what native lacks here, `atoll backends` what the others lack";
    case Code::kUnsupportedBackend:
      return "`atoll backends` lists the backends and why one cannot run";
    case Code::kProgramNotFound:
      return "only the image's files, or without one the host's system folders, are inside; bring "
             "more with --mount SRC:DST";
    case Code::kBackend:
    case Code::kCreateTimeout:
      return "`atoll doctor` checks this host, `atoll backends` every backend; -v shows the step "
             "that failed";
    case Code::kInternal:
    case Code::kProtocol: return "this is a bug in Atoll; -v shows the steps that led to it";
    default: return {};  // the message says all that there is to say
  }
}

std::string error_text(const Error& error, bool color, bool with_trail) {
  std::string text = color ? "\x1b[1;31matoll:\x1b[0m " : "atoll: ";
  text += code_name(error.code());
  text += ": ";
  text += printable(error.message(), true);
  text += '\n';
  if (with_trail && !error.trail().empty()) {
    text += "  while:";
    for (const std::string& step : error.trail()) {
      text += ' ' + printable(step) + (&step == &error.trail().back() ? "" : ",");
    }
    text += '\n';
  }
  if (std::string_view hint = hint_for(error.code()); !hint.empty()) {
    text += "  hint: ";
    text += hint;
    text += '\n';
  }
  return text;
}

void print_error(const Error& error, ColorMode mode, bool with_trail) {
  write_all(STDERR_FILENO, error_text(error, use_color(mode, STDERR_FILENO), with_trail));
}

void print_warning(std::string_view sentence, ColorMode mode) {
  bool color = use_color(mode, STDERR_FILENO);
  std::string text = color ? "\x1b[1;33matoll: warning:\x1b[0m " : "atoll: warning: ";
  text += printable(std::string(sentence));
  text += '\n';
  write_all(STDERR_FILENO, text);
}

std::size_t text_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<std::size_t>(size.ws_col, 60, 100);
}

}  // namespace atl::cli
