#include "cli/core/small_commands.hpp"

#include <unistd.h>

#include <string>

#include "base/write_all.hpp"
#include "cli/core/common_options.hpp"
#include "cli/core/completion.hpp"
#include "cli/core/console.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/help.hpp"
#include "cli/core/suggest.hpp"

namespace atl::cli {

int own_failure(const Error& error) {
  print_error(error, ColorMode::kAuto);
  return exit_status_of(error.code());
}

int show(std::string_view text) {
  write_all(STDOUT_FILENO, text);
  return 0;
}

int show_help(const Command& command) {
  return show(
      help_text(command, text_width(STDOUT_FILENO), use_color(ColorMode::kAuto, STDOUT_FILENO)));
}

int unknown_command(std::string_view name) {
  std::string message = "there is no command \"" + std::string(name.substr(0, 80)) + "\"";
  Suggestion best(name);
  for (const Command& command : commands()) best.offer(command.name);
  message +=
      best.empty() ? "; atoll help lists them" : "; did you mean " + std::string(best.word()) + "?";
  return own_failure(Error(Code::kInvalidArgument, std::move(message)));
}

int completion_command(Arguments arguments) {
  CommonOptions options;
  Result<ParseResult> parsed = parse_options(arguments, help_option_table(), &options);
  if (!parsed) return own_failure(parsed.error());
  if (options.help) return show_help(*find_command("completion"));
  Arguments words = arguments.subspan(parsed->rest);
  Result<std::string> script =
      words.size() == 1
          ? completion_script(words[0])
          : fail(Code::kInvalidArgument, "completion: name one shell: bash, zsh or fish");
  return script ? show(*script) : own_failure(script.error());
}

int version_command(Arguments arguments) {
  CommonOptions options;
  Result<ParseResult> parsed = parse_options(arguments, help_option_table(), &options);
  if (!parsed) return own_failure(parsed.error());
  return options.help ? show_help(*find_command("version")) : show("atoll " ATOLL_VERSION "\n");
}

int help_command(Arguments arguments) {
  CommonOptions options;
  Result<ParseResult> parsed = parse_options(arguments, docs_option_table(), &options);
  if (!parsed) return own_failure(parsed.error());
  if (options.markdown) return show(markdown_manual());
  if (options.help) return show_help(*find_command("help"));
  if (parsed->rest == arguments.size()) return show_help(main_command());
  std::string_view name = arguments[parsed->rest];
  const Command* command = find_command(name);
  return command != nullptr ? show_help(*command) : unknown_command(name);
}

int main_options(Arguments arguments) {
  CommonOptions options;
  Result<ParseResult> parsed = parse_options(arguments, main_option_table(), &options);
  if (!parsed) return own_failure(parsed.error());
  return options.version ? version_command({}) : show_help(main_command());
}

int no_command() {
  bool color = use_color(ColorMode::kAuto, STDERR_FILENO);
  write_all(STDERR_FILENO, help_text(main_command(), text_width(STDERR_FILENO), color));
  return kExitAtoll;
}

}  // namespace atl::cli
