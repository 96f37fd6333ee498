#include "cli/core/table.hpp"

#include <algorithm>

#include "cli/core/console.hpp"
#include "cli/core/help.hpp"

namespace atl::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

}  // namespace

Table::Table(const std::vector<std::string_view>& headings) {
  std::vector<Cell> row;
  for (std::string_view heading : headings) row.push_back({std::string(heading), kBold});
  rows_.push_back(std::move(row));
}

std::string Table::text(bool color) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const std::vector<Cell>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row[i].text));
    }
  }
  std::string out;
  for (const std::vector<Cell>& row : rows_) {
    std::size_t gap = 0;  // before the next cell: nothing stands behind the last one
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Cell& cell = row[i];
      if (!cell.text.empty()) {
        out.append(gap, ' ');
        gap = 0;
        bool colored = color && !cell.color.empty();
        if (colored) out += cell.color;
        out += printable(cell.text);
        if (colored) out += kPlain;
      }
      gap += widths[i] + 2 - columns(cell.text);
    }
    out += '\n';
  }
  return out;
}

}  // namespace atl::cli
