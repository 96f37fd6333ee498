// What can be said to `atoll config`: one table for all of its sub-commands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/core/console.hpp"
#include "cli/core/format.hpp"
#include "cli/core/option.hpp"

namespace atl::cli {

struct ConfigOptions {
  std::string file;
  std::string data;
  std::vector<std::string> sets;  // PATH=VALUE
  DocumentFormat output = DocumentFormat::kTable;
  ColorMode color = ColorMode::kAuto;
  bool help = false;
  std::vector<std::string> words;  // the sub-command and what it is about
};

std::span<const Option> config_option_table();

// Options may stand before, between and after the words. On failure `options` holds what had been
// read.
Result<void> parse_config_options(std::span<const std::string_view> arguments,
                                  ConfigOptions& options);

}  // namespace atl::cli
