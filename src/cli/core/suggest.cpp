#include "cli/core/suggest.hpp"

#include <algorithm>
#include <array>

namespace atl::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kMax = 32;
  if (a.size() > kMax || b.size() > kMax) return kMax;
  std::array<std::array<std::size_t, kMax + 1>, kMax + 1> d{};
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace atl::cli
