// The ends of `atoll run`: what is printed and what atoll exits with.
#pragma once

#include <span>
#include <string_view>

#include "base/error.hpp"
#include "cli/run/report.hpp"
#include "cli/run/run_options.hpp"

namespace atl::cli {

// Atoll's own failure: the sentence on stderr and, with -o json, the object on stdout.
int report_failure(const Error& error, const RunOptions& options);
// How a run went. Errors of Atoll are told like in report_failure().
int report_result(RunReport report, const RunOptions& options);

// Whether a launcher should be started before the options are read: only native uses one, and
// --help needs none. Being wrong costs a launcher that goes away again.
bool wants_early_launcher(std::span<const std::string_view> arguments);
// Whether a --secret or --secret-host stands there, before the program.
bool names_secret(std::span<const std::string_view> arguments);
// The value of --backend among the options of `run` and `repl`; empty when there is none.
std::string_view named_backend(std::span<const std::string_view> arguments);

}  // namespace atl::cli
