#include "cli/core/common_options.hpp"

#include <array>

namespace atl::cli {
namespace {

constexpr Option kHelp{.name = "help",
                       .short_name = 'h',
                       .help = "Show this text.",
                       .set = set_flag<&CommonOptions::help>};
constexpr Option kVersion{.name = "version",
                          .short_name = 'V',
                          .help = "Show the version.",
                          .set = set_flag<&CommonOptions::version>};
constexpr Option kMarkdown{.name = "markdown",
                           .help = "Print the whole manual as Markdown (docs/cli.md).",
                           .set = set_flag<&CommonOptions::markdown>};
constexpr Option kClean{.name = "clean",
                        .help =
                            "Check nothing; remove what dead servers and launchers left: run "
                            "folders, sockets, and the control groups and network namespaces "
                            "of slots that nobody uses. Whatever is in use stays.",
                        .set = set_flag<&CommonOptions::clean>};
constexpr Option kOutput{.name = "output",
                         .short_name = 'o',
                         .argument = "FORMAT",
                         .help = "text or json. Default: text.",
                         .set = set_parsed<&CommonOptions::output, parse_output_format>,
                         .complete = Complete::kWords,
                         .words = "text json"};
constexpr Option kColor{
    .name = "color",
    .argument = "WHEN",
    .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
    .set = set_parsed<&CommonOptions::color, parse_color_mode>,
    .complete = Complete::kWords,
    .words = "auto always never"};

constexpr std::array kReport{kOutput, kColor, kHelp};
constexpr std::array kDoctor{kClean, kOutput, kColor, kHelp};
constexpr std::array kHelpOnly{kHelp};
constexpr std::array kMain{kHelp, kVersion};
constexpr std::array kDocs{kMarkdown, kHelp};

}  // namespace

std::span<const Option> report_option_table() { return kReport; }
std::span<const Option> doctor_option_table() { return kDoctor; }
std::span<const Option> help_option_table() { return kHelpOnly; }
std::span<const Option> main_option_table() { return kMain; }
std::span<const Option> docs_option_table() { return kDocs; }

}  // namespace atl::cli
