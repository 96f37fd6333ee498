#include "cli/repl/repl_options.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

// The table's target is the RunOptions in a ReplOptions: most rows are those of `atoll run`.
ReplOptions& own(void* target) {
  return *static_cast<ReplOptions*>(static_cast<RunOptions*>(target));
}

Result<void> set_json(void* target, std::string_view) {
  own(target).json = true;
  return {};
}

Result<void> set_save(void* target, std::string_view value) {
  if (value.empty()) return fail(Code::kInvalidArgument, "names no folder");
  own(target).save = value;
  return {};
}

Result<void> set_timeout(void* target, std::string_view value) {
  ATOLL_TRY(own(target).timeout, parse_duration(value));
  return {};
}

constexpr Option kLanguage{
    .name = "language",
    .short_name = 'l',
    .argument = "LANG",
    .help =
        "python, javascript, typescript or bash (py, js, node, ts, sh and shell are "
        "understood too). Default: python.",
    .set = set_text<&RunOptions::language>,
    .complete = Complete::kWords,
    .words = "python javascript typescript bash py js node ts sh shell",
    .group = "What to run"};
constexpr Option kTimeout{
    .name = "timeout",
    .argument = "TIME",
    .help =
        "Interrupt a cell after this time (500ms, 10s, 2m; up to 30d). What does not stop then "
        "is killed two seconds later, and its state is gone. Default: 0, which means never.",
    .set = set_timeout};
constexpr Option kJson{
    .name = "json",
    .help =
        "Print one JSON object a line for everything that happens, and one at the end of each "
        "cell.",
    .set = set_json,
    .group = "Input and output"};
constexpr Option kSave{
    .name = "save",
    .argument = "DIR",
    .help =
        "Write pictures, pages and chart data that a cell shows into this folder, as "
        "cell-N-K.png, .jpg, .svg, .html, .pdf or .chart.json, and print their names.",
    .set = set_save,
    .complete = Complete::kFolder};

// Options of `atoll run` that make no sense here.
constexpr std::array<std::string_view, 5> kLeftOut{"code", "interactive", "tty", "output",
                                                   "max-output"};

std::vector<Option> make_table() {
  std::vector<Option> table;
  for (const Option& option : run_option_table()) {
    if (std::ranges::find(kLeftOut, option.name) != kLeftOut.end()) continue;
    if (option.name == "quiet") table.insert(table.end(), {kJson, kSave});
    table.push_back(option.name == "language"  ? kLanguage
                    : option.name == "timeout" ? kTimeout
                                               : option);
  }
  return table;
}

}  // namespace

std::span<const Option> repl_option_table() {
  static const std::vector<Option> kTable = make_table();
  return kTable;
}

Result<void> parse_repl_options(std::span<const std::string_view> arguments, ReplOptions& options) {
  RunOptions* target = &options;
  ATOLL_TRY(ParseResult parsed, parse_options(arguments, repl_option_table(), target));
  if (parsed.rest == arguments.size()) return {};
  return fail(Code::kInvalidArgument, "unexpected \"" +
                                          std::string(arguments[parsed.rest].substr(0, 80)) +
                                          "\"; atoll repl reads its cells from stdin");
}

}  // namespace atl::cli
