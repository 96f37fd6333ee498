// What can be said to `atoll repl`: the options of `atoll run` that are about the sandbox, and a
// few of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/run/run_options.hpp"

namespace atl::cli {

struct ReplOptions : RunOptions {
  bool json = false;
  std::string save;  // a folder; empty: nothing is saved
};

std::span<const Option> repl_option_table();

// On failure `options` holds what had been read, so that the caller knows how to report.
Result<void> parse_repl_options(std::span<const std::string_view> arguments, ReplOptions& options);

}  // namespace atl::cli
