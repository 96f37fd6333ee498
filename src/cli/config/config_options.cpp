#include "cli/config/config_options.hpp"

#include <algorithm>
#include <array>

#include "cli/run/run_options.hpp"

namespace atl::cli {
namespace {

ConfigOptions& options_of(void* target) { return *static_cast<ConfigOptions*>(target); }

Result<void> set_set(void* target, std::string_view value) {
  if (value.find('=') == std::string_view::npos || value[0] == '=') {
    return fail(Code::kInvalidArgument, "write PATH=VALUE, such as pool.size=4");
  }
  options_of(target).sets.emplace_back(value);
  return {};
}

Result<void> set_output(void* target, std::string_view value) {
  ATOLL_TRY(options_of(target).output, parse_document_format(value));
  return {};
}

Result<void> set_color(void* target, std::string_view value) {
  ATOLL_TRY(options_of(target).color, parse_color_mode(value));
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
           .set = set_output,
           .complete = Complete::kWords,
           .words = "table json yaml"},
    Option{.name = "color",
           .argument = "WHEN",
           .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
           .set = set_color,
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
  for (std::span rest = arguments; !rest.empty();) {
    ATOLL_TRY(ParseResult parsed, parse_options(rest, kTable, &options));
    rest = rest.subspan(parsed.rest);
    std::size_t count = parsed.separated ? rest.size() : std::min<std::size_t>(rest.size(), 1);
    options.words.insert(options.words.end(), rest.begin(),
                         rest.begin() + static_cast<std::ptrdiff_t>(count));
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace atl::cli
