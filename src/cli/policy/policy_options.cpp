#include "cli/policy/policy_options.hpp"

#include <array>

#include "cli/run/run_options.hpp"

namespace atl::cli {
namespace {

Result<PolicyFormat> parse_format(std::string_view text) {
  if (text == "text") return PolicyFormat::kText;
  if (text == "json") return PolicyFormat::kJson;
  if (text == "sarif") return PolicyFormat::kSarif;
  return fail(Code::kInvalidArgument, "must be one of text, json, sarif");
}

Result<std::string> parse_level(std::string_view text) {
  for (std::string_view level : {"low", "medium", "high", "critical"}) {
    if (text == level) return std::string(text);
  }
  return fail(Code::kInvalidArgument, "must be one of low, medium, high, critical");
}

constexpr std::array kTable{
    Option{.name = "language",
           .short_name = 'l',
           .argument = "LANG",
           .help = "python, javascript, typescript or bash. Default: by the suffix of FILE, else "
                   "python.",
           .set = set_text<&PolicyOptions::language>,
           .complete = Complete::kWords,
           .words = "python javascript typescript bash"},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "text, json (what POST /policy/check answers) or sarif (for code hosts). "
                   "Default: text.",
           .set = set_parsed<&PolicyOptions::output, parse_format>,
           .complete = Complete::kWords,
           .words = "text json sarif"},
    Option{.name = "fail-on",
           .argument = "LEVEL",
           .help = "Exit with status 1 when the level is this one or worse.",
           .set = set_parsed<&PolicyOptions::fail_on, parse_level>,
           .complete = Complete::kWords,
           .words = "low medium high critical"},
    Option{.name = "rules",
           .argument = "FILE",
           .help = "Rules over the shipped ones, as policy.rules of a server's configuration.",
           .set = set_text<&PolicyOptions::rules>,
           .complete = Complete::kFile},
    Option{.name = "color",
           .argument = "WHEN",
           .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
           .set = set_parsed<&PolicyOptions::color, parse_color_mode>,
           .complete = Complete::kWords,
           .words = "auto always never"},
    Option{.name = "help",
           .short_name = 'h',
           .help = "Show this text.",
           .set = set_flag<&PolicyOptions::help>},
};

}  // namespace

std::span<const Option> policy_option_table() { return kTable; }

Result<void> parse_policy_options(std::span<const std::string_view> arguments,
                                  PolicyOptions& options) {
  return parse_with_words(arguments, kTable, &options, options.words);
}

}  // namespace atl::cli
