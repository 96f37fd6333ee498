#include "cli/core/command.hpp"
#include "cli/core/completion.hpp"

namespace atl::cli {
namespace {

std::string all_names(const Command& command) {
  std::string names;
  for (const Option& option : command.options) {
    if (option.short_name != 0) names += std::string{'-', option.short_name} + ' ';
    names += "--" + std::string(option.name) + ' ';
  }
  if (!names.empty()) names.pop_back();
  return names;
}

std::string pattern(const Option& option) {
  std::string text = "--" + std::string(option.name);
  if (option.short_name != 0) text += std::string("|-") + option.short_name;
  return text;
}

// What to offer for the value of each option, chosen by the word before the cursor.
std::string value_cases(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.argument.empty()) continue;
    text += "        " + pattern(option) + ") ";
    switch (option.complete) {
      case Complete::kNothing: text += "COMPREPLY=()"; break;
      case Complete::kFile: text += "_atoll_files \"$cur\""; break;
      case Complete::kFolder: text += "compopt -o nospace; _atoll_files \"$cur\""; break;
      case Complete::kWords:
        text += "COMPREPLY=($(compgen -W '" + std::string(option.words) + "' -- \"$cur\"))";
        break;
    }
    text += "; return;;\n";
  }
  return text;
}

// `run` stops completing options once its program is named: the rest belongs to that program.
std::string takes_value(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.argument.empty()) continue;
    if (!text.empty()) text += '|';
    text += pattern(option);
  }
  return text;
}

}  // namespace

std::string bash_completion() {
  std::string names;
  for (const Command& command : commands()) names += std::string(command.name) + ' ';
  names += all_names(main_command());
  std::string out =
      "# bash completion for atoll, made by `atoll completion bash`\n"
      "_atoll_files() {\n  compopt -o filenames 2>/dev/null\n"
      "  mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n}\n\n"
      "_atoll() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i\n"
      "  COMPREPLY=()\n"
      "  if (( COMP_CWORD == 1 )); then\n    COMPREPLY=($(compgen -W '" +
      names +
      "' -- \"$cur\"))\n    return\n  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands()) {
    out += "    " + std::string(command.name) + ")\n";
    if (command.name == "run") {
      out +=
          "      for (( i = 2; i < COMP_CWORD; i++ )); do\n        case ${COMP_WORDS[i]} in\n"
          "          " +
          takes_value(command) +
          ") (( i++ ));;\n"
          "          --) i=-1; break;;\n          -?*) ;;\n          *) i=-1; break;;\n        "
          "esac\n      done\n"
          "      if (( i == -1 )); then _atoll_files \"$cur\"; return; fi\n";
    }
    if (std::string values = value_cases(command); !values.empty()) {
      out += "      case $prev in\n" + values + "      esac\n";
    }
    out += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '" + all_names(command) +
           "' -- \"$cur\")); return; fi\n";
    if (!command.words.empty()) {
      out += "      COMPREPLY=($(compgen -W '" + std::string(command.words) + "' -- \"$cur\"));;\n";
    } else if (command.takes_files) {
      out += "      _atoll_files \"$cur\";;\n";
    } else {
      out += "      ;;\n";
    }
  }
  out += "  esac\n}\ncomplete -F _atoll atoll\n";
  return out;
}

}  // namespace atl::cli
