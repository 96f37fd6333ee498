// Options of the commands that have few: doctor, backends, version, completion, help.
#pragma once

#include <span>

#include "cli/core/option.hpp"
#include "cli/run/run_options.hpp"

namespace atl::cli {

struct CommonOptions {
  OutputFormat output = OutputFormat::kText;
  ColorMode color = ColorMode::kAuto;
  bool help = false;
  bool version = false;
  bool markdown = false;
  bool clean = false;
};

std::span<const Option> report_option_table();  // -o, --color, -h
std::span<const Option> doctor_option_table();  // the same and --clean
std::span<const Option> help_option_table();    // -h
std::span<const Option> main_option_table();    // -h, --version
std::span<const Option> docs_option_table();    // of `atoll help`: -h, --markdown

}  // namespace atl::cli
