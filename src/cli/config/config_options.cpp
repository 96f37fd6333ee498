#include "cli/config/config_options.hpp"

#include <array>

#include "cli/run/run_options.hpp"

namespace atl::cli {
namespace {

Result<void> set_set(void* target, std::string_view value) {
  if (value.find('=') == std::string_view::npos || value[0] == '=') {
    return fail(Code::kInvalidArgument, "write PATH=VALUE, such as pool.size=4");
  }
  static_cast<ConfigOptions*>(target)->sets.emplace_back(value);
  return {};
}

constexpr std::array kTable{
    Option{.name = "config",
           .argument = "FILE",
           .help = "Read this file, and no other. Default: the first that exists of "
                   "DATA/config.json, ~/.atoll/config.json and /etc/atoll/config.json.",
           .set = set_text<&ConfigOptions::file>,
           .complete = Complete::kFile},
    Option{.name = "data",
           .argument = "DIR",
           .help = "The data folder (DATA), as for the server.",
           .set = set_text<&ConfigOptions::data>,
           .complete = Complete::kFolder},
    Option{.name = "set",
           .argument = "PATH=VALUE",
           .help = "Set a field, over file and environment: pool.size=4. Strings stand as "
                   "they are, everything else is JSON. May be given several times.",
           .set = set_set},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "table, json or yaml. Default: table.",
           .set = set_parsed<&ConfigOptions::output, parse_document_format>,
           .complete = Complete::kWords,
           .words = "table json yaml"},
    Option{.name = "color",
           .argument = "WHEN",
           .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
           .set = set_parsed<&ConfigOptions::color, parse_color_mode>,
           .complete = Complete::kWords,
           .words = "auto always never"},
    Option{.name = "help",
           .short_name = 'h',
           .help = "Show this text.",
           .set = set_flag<&ConfigOptions::help>},
};

}  // namespace

std::span<const Option> config_option_table() { return kTable; }

Result<void> parse_config_options(std::span<const std::string_view> arguments,
                                  ConfigOptions& options) {
  return parse_with_words(arguments, kTable, &options, options.words);
}

}  // namespace atl::cli
