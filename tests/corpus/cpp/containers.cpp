// Containers and algorithms: maps, sets, heaps, grouping, bisection, erasing.
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <vector>

int main() {
  std::map<char, int> counts;
  for (char c : std::string("mississippi")) ++counts[c];
  for (auto [letter, count] : counts) std::printf("%c%d ", letter, count);
  std::puts("");
  std::vector<int> numbers(40);
  int i = 0;
  std::generate(numbers.begin(), numbers.end(), [&i] { return i++ * 7919 % 101; });
  std::sort(numbers.begin(), numbers.end());
  auto at = std::lower_bound(numbers.begin(), numbers.end(), 50);
  std::printf("%d %td %d\n", *at, at - numbers.begin(),
              std::accumulate(numbers.begin(), numbers.end(), 0));
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(), [](int n) { return n % 3 != 0; }),
                numbers.end());
  for (int n : numbers) std::printf("%d ", n);
  std::puts("");
  std::priority_queue<std::pair<int, std::string>> queue;
  for (auto [priority, task] : {std::pair{1, "rest"}, {3, "plan"}, {2, "write"}})
    queue.emplace(priority, task);
  for (; !queue.empty(); queue.pop()) std::printf("%s ", queue.top().second.c_str());
  std::set<std::string> words{"pear", "apple", "fig", "apple"};
  std::multimap<std::size_t, std::string> by_length;
  for (const std::string& word : words) by_length.emplace(word.size(), word);
  for (const auto& [size, word] : by_length) std::printf("%zu:%s ", size, word.c_str());
  std::puts("");
  std::string letters = "abc";
  do std::printf("%s ", letters.c_str());
  while (std::next_permutation(letters.begin(), letters.end()));
  std::printf("%d\n", std::is_sorted(words.begin(), words.end()));
  return 0;
}
