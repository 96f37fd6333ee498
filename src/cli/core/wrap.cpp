#include <algorithm>

#include "cli/core/help.hpp"

namespace atl::cli {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

namespace {

// One source line, wrapped; `column` is where the text stands already.
void wrap_line(std::string& out, std::string_view line, std::size_t width, std::size_t indent) {
  std::size_t column = indent;
  bool first = true;
  while (!line.empty()) {
    std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    if (!first && column + 1 + columns(word) > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns(word);
    first = false;
  }
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  bool first = true;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!first) {
      out += '\n';
      if (!line.empty()) out.append(indent, ' ');
    }
    if (line.starts_with(' ')) {
      out += line;
    } else {
      wrap_line(out, line, width, indent);
    }
    first = false;
  }
  return out;
}

}  // namespace atl::cli
