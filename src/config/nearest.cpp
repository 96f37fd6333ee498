#include "config/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace atl::config {
namespace {

constexpr std::size_t kLongest = 64;

// Insertions, deletions, substitutions and swaps of neighbours, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string folded(std::string_view name) {
  std::string out;
  for (char letter : name) {
    if (letter == '_' || letter == '-') continue;
    out += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  }
  return out;
}

std::string_view nearest(std::string_view typed, std::span<const std::string> known) {
  std::string word = folded(typed);
  if (word.empty() || word.size() > kLongest) return {};
  // One slip in a short word, about one in three letters of a long one.
  std::size_t best = (word.size() < 4 ? 1 : word.size() / 3 + 1) + 1;
  std::string_view found;
  for (const std::string& candidate : known) {
    std::string other = folded(candidate);
    std::size_t far =
        other.starts_with(word) && word.size() >= 3 && other != word ? 1 : distance(word, other);
    if (far >= best) continue;
    best = far;
    found = candidate;
  }
  return found;
}

}  // namespace atl::config
