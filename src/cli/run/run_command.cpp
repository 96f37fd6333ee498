#include "cli/run/run_command.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/write_all.hpp"
#include "cli/core/exit_status.hpp"

namespace atl::cli {
namespace {

// A status of 124 or 137 alone does not say whether it was the program's own.
void explain_end(const sandbox::ExitStatus& status, ColorMode color) {
  if (status.timed_out) print_warning("the program was killed at its time-out (--timeout)", color);
  if (status.oom) print_warning("the program was killed for lack of memory (--memory)", color);
}

}  // namespace

int report_failure(const Error& error, const RunOptions& options) {
  RunReport report;
  report.error = error;
  report.exit_code = exit_status_of(error.code());
  return report_result(std::move(report), options);
}

int report_result(RunReport report, const RunOptions& options) {
  if (options.output == OutputFormat::kJson) {
    bool whole = write_all(STDOUT_FILENO, report_json(report, ::isatty(STDOUT_FILENO) == 1));
    if (!whole && !report.error) {
      report.error = Error(Code::kIo, "the result could not be written to stdout", errno);
      report.exit_code = exit_status_of(Code::kIo);
    }
  }
  if (report.error) print_error(*report.error, options.color, options.verbose);
  if (!report.error && !options.quiet) explain_end(report.status, options.color);
  return report.exit_code;
}

bool wants_early_launcher(std::span<const std::string_view> arguments) {
  for (std::string_view argument : arguments) {
    if (argument == "--") return true;
    if (argument == "-h" || argument == "--help" || argument.starts_with("--backend")) return false;
  }
  return !arguments.empty();
}

bool names_secret(std::span<const std::string_view> arguments) {
  for (std::string_view argument : arguments) {
    if (argument == "--") return false;
    if (argument.starts_with("--secret")) return true;
  }
  return false;
}

std::string_view named_backend(std::span<const std::string_view> arguments) {
  constexpr std::string_view kOption = "--backend";
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!arguments[i].starts_with(kOption)) continue;
    std::string_view value = arguments[i].substr(kOption.size());
    if (value.starts_with('=')) return value.substr(1);
    if (value.empty() && i + 1 < arguments.size()) return arguments[i + 1];
  }
  return {};
}

}  // namespace atl::cli
