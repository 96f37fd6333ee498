#include "cli/core/help.hpp"

namespace atl::cli {
namespace {

// Angle brackets, pipes and stars are plain text here, not Markdown.
std::string plain(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<' || c == '>' || c == '|' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

// Lines that start with a blank become a code block.
std::string body(std::string_view text) {
  std::string out;
  bool code = false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    bool is_code = line.starts_with(' ');
    if (is_code != code) out += "```\n";
    code = is_code;
    out += code ? std::string(line.substr(2))
                : plain(line) + (line.empty() || text.empty() || text[0] == '\n' ? "" : "  ");
    out += '\n';
  }
  if (code) out += "```\n";
  return out;
}

void options_table(std::string& out, const Command& command) {
  bool open = false;
  for (const Option& option : command.options) {
    if (!open || !option.group.empty()) {
      out += "\n### " + std::string(option.group.empty() ? "Options" : option.group) + "\n\n";
      out += "| option | meaning |\n|---|---|\n";
      open = true;
    }
    out += "| `";
    if (option.short_name != 0) out += std::string{'-', option.short_name} + "`, `";
    out += "--" + std::string(option.name);
    std::string argument(option.argument);
    if (!argument.empty()) out += ' ' + argument;
    // A pipe ends a table cell even inside of code.
    if (std::size_t pipe = out.find('|', out.rfind("--")); pipe != std::string::npos) {
      out.insert(pipe, "\\");
    }
    out += "` | " + plain(option.help) + " |\n";
  }
}

void chapter(std::string& out, const Command& command) {
  out += command.name.empty() ? "# atoll\n\n" : "\n## atoll " + std::string(command.name) + "\n\n";
  out += std::string(command.summary) + "\n\n```\n" + std::string(command.synopsis) + "\n```\n\n";
  out += plain(command.description) + "\n";
  if (command.name.empty()) {
    out += "\n| command | does |\n|---|---|\n";
    for (const Command& one : commands()) {
      std::string name(one.name);
      out.append("| [").append(name).append("](#atoll-").append(name).append(") | ");
      out.append(one.summary).append(" |\n");
    }
  }
  options_table(out, command);
  for (const Section& section : command.sections) {
    out += "\n### " + std::string(section.title) + "\n\n" + body(section.text);
  }
  if (command.examples.empty()) return;
  out += "\n### Examples\n\n```sh\n";
  for (const Example& example : command.examples) {
    out += "# " + std::string(example.says) + "\n" + std::string(example.command) + "\n";
  }
  out += "```\n";
}

}  // namespace

std::string markdown_manual() {
  std::string out =
      "<!-- Made by `atoll help --markdown` from the tables in src/cli; do not edit. -->\n\n";
  chapter(out, main_command());
  for (const Command& command : commands()) chapter(out, command);
  return out;
}

}  // namespace atl::cli
