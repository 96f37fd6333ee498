#include "cli/remote/report.hpp"

#include <unistd.h>

#include <string>

#include "base/write_all.hpp"

namespace atl::cli {

void print_remote_error(const Error& error, ColorMode mode) {
  bool color = use_color(mode, STDERR_FILENO);
  std::string text = color ? "\x1b[1;31matoll:\x1b[0m " : "atoll: ";
  text += std::string(code_name(error.code())) + ": " + error.message() + "\n";
  if (error.code() == Code::kUnauthenticated) {
    text += "  hint: give a key by ATOLL_KEY or --key; `atoll key create` makes one\n";
  }
  write_all(STDERR_FILENO, text);
}

}  // namespace atl::cli
