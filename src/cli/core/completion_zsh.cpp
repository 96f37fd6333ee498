#include "cli/core/command.hpp"
#include "cli/core/completion.hpp"

namespace atl::cli {
namespace {

// For a single-quoted _arguments specification: quotes doubled the shell's way, brackets and colons
// escaped; the first sentence is enough in a menu.
std::string described(std::string_view text) {
  std::size_t end = text.find(". ");
  std::string out;
  for (char c : text.substr(0, end)) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string value_of(const Option& option) {
  if (option.argument.empty()) return {};
  std::string text = ":" + described(option.argument) + ":";
  switch (option.complete) {
    case Complete::kNothing: return text;
    case Complete::kFile:
    case Complete::kFolder: return text + "_files";
    case Complete::kWords: return text + "(" + std::string(option.words) + ")";
  }
  return text;
}

std::string specification(const Option& option) {
  std::string name = "--" + std::string(option.name);
  std::string tail = "[" + described(option.help) + "]" + value_of(option) + "'";
  if (option.short_name == 0) return "'*" + name + tail;
  std::string brief{'-', option.short_name};
  return "'*" + brief + tail + " '*" + name + tail;
}

}  // namespace

std::string zsh_completion() {
  std::string out =
      "#compdef atoll\n# zsh completion for atoll, made by `atoll completion zsh`\n"
      "_atoll() {\n  local -a names\n  names=(\n";
  for (const Command& command : commands()) {
    out += "    '" + std::string(command.name) + ":" + described(command.summary) + "'\n";
  }
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe command names\n";
  for (const Option& option : main_command().options) {
    out += "    compadd -- --" + std::string(option.name) + "\n";
  }
  out +=
      "    return\n  fi\n  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name "
      "in\n";
  for (const Command& command : commands()) {
    out += "    " + std::string(command.name) + ")\n      _arguments -s -S";
    for (const Option& option : command.options) out += " \\\n        " + specification(option);
    if (!command.words.empty()) out += " \\\n        '1:word:(" + std::string(command.words) + ")'";
    if (command.name == "run") {
      out += " \\\n        '1:program or script:_files' '*::argument:_files'";
    } else if (command.takes_files) {
      out += " \\\n        '*:file:_files'";
    }
    out += ";;\n";
  }
  out +=
      "  esac\n}\n"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _atoll \"$@\"; else compdef _atoll "
      "atoll; fi\n";
  return out;
}

}  // namespace atl::cli
