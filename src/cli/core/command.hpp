// The sub-commands as data: what --help, the completions and docs/cli.md are made of.
#pragma once

#include <span>
#include <string_view>

#include "cli/core/option.hpp"

namespace atl::cli {

struct Example {
  std::string_view command;
  std::string_view says;
};

struct Section {
  std::string_view title;
  // Paragraphs separated by an empty line; lines that start with a blank are kept as they are.
  std::string_view text;
};

struct Command {
  std::string_view name;  // empty: atoll itself
  std::string_view summary;
  std::string_view synopsis;  // one form a line
  std::string_view description;
  std::span<const Option> options;
  std::span<const Section> sections;
  std::span<const Example> examples;
  std::string_view words;    // what may follow, for completion: "bash zsh fish"
  bool takes_files = false;  // files may follow
};

// atoll itself, with the options that stand before a sub-command.
const Command& main_command();
std::span<const Command> commands();
const Command* find_command(std::string_view name);

}  // namespace atl::cli
