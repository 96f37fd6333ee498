// A table for people: columns aligned, headings bold and cells coloured on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atl::cli {

struct Cell {
  std::string text;             // control characters are shown as ?
  std::string_view color = {};  // an escape sequence, used only where colours are wanted
};

inline constexpr std::string_view kGreen = "\x1b[32m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kBlue = "\x1b[36m";
inline constexpr std::string_view kFaint = "\x1b[2m";

class Table {
 public:
  explicit Table(const std::vector<std::string_view>& headings);

  // As many cells as there are headings.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  std::string text(bool color) const;

 private:
  std::vector<std::vector<Cell>> rows_;  // the headings first
};

}  // namespace atl::cli
