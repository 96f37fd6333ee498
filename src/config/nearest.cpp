#include "config/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace atl::config {
namespace {

constexpr std::size_t kLongest = 64;

// Insertions, deletions and substitutions, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
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
