#include "cli/core/command.hpp"
#include "cli/core/completion.hpp"

namespace atl::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  std::string_view first = text.substr(0, text.find(". "));
  if (first.ends_with('.')) first.remove_suffix(1);
  for (char c : first) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string option_line(const Option& option, const std::string& condition) {
  std::string line = "complete -c atoll -n " + condition + " -l " + std::string(option.name);
  if (option.short_name != 0) line += std::string(" -s ") + option.short_name;
  if (!option.argument.empty()) line += " -r";
  switch (option.complete) {
    case Complete::kNothing: break;
    case Complete::kFile:
    case Complete::kFolder: line += " -F"; break;
    case Complete::kWords: line += " -a '" + std::string(option.words) + "'"; break;
  }
  return line + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion() {
  std::string out =
      "# fish completion for atoll, made by `atoll completion fish`\ncomplete -c atoll -f\n";
  for (const Command& command : commands()) {
    out += "complete -c atoll -n __fish_use_subcommand -a " + std::string(command.name) + " -d " +
           quoted(command.summary) + "\n";
  }
  for (const Option& option : main_command().options) {
    out += option_line(option, "__fish_use_subcommand");
  }
  for (const Command& command : commands()) {
    std::string condition = "'__fish_seen_subcommand_from " + std::string(command.name) + "'";
    for (const Option& option : command.options) out += option_line(option, condition);
    if (!command.words.empty()) {
      out += "complete -c atoll -n " + condition + " -a '" + std::string(command.words) + "'\n";
    }
    if (command.takes_files) out += "complete -c atoll -n " + condition + " -F\n";
  }
  return out;
}

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  return fail(Code::kInvalidArgument,
              "completion: there are scripts for bash, zsh and fish, not for \"" +
                  std::string(shell.substr(0, 40)) + "\"");
}

}  // namespace atl::cli
