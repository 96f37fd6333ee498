// Manuals from the command table: for a terminal, and as Markdown for docs/cli.md.
#pragma once

#include <string>

#include "cli/core/command.hpp"

namespace atl::cli {

std::string help_text(const Command& command, std::size_t width, bool color);
std::string markdown_manual();

// `text` in lines of at most `width` columns, each after the first indented. Lines of the source
// that start with a blank stay whole.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// Columns a UTF-8 text takes, counting every character as one.
std::size_t columns(std::string_view text);

}  // namespace atl::cli
