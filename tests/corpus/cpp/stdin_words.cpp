// Words from stdin counted, numbers summed, the most frequent first.
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

int main() {
  std::map<std::string, int> counts;
  long sum = 0;
  for (std::string word; std::cin >> word;) {
    try {
      std::size_t used = 0;
      long value = std::stol(word, &used);
      if (used == word.size()) {
        sum += value;
        continue;
      }
    } catch (const std::exception&) {
    }
    ++counts[word];
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [word, count] : counts) order.emplace_back(-count, word);
  std::sort(order.begin(), order.end());
  for (const auto& [count, word] : order) std::cout << word << ' ' << -count << '\n';
  std::cout << "sum " << sum << std::endl;
  return order.size() == 6 ? 11 : 12;
}
