// Graphs: Dijkstra, topological order, strongly connected parts, a maze, union-find.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <string>
#include <vector>

using Graph = std::map<char, std::map<char, int>>;

int main() {
  Graph roads{{'a', {{'b', 7}, {'c', 9}, {'f', 14}}},
              {'b', {{'c', 10}, {'d', 15}}},
              {'c', {{'d', 11}, {'f', 2}}},
              {'d', {{'e', 6}}},
              {'f', {{'e', 9}}},
              {'e', {}}};
  std::map<char, int> best;
  using Item = std::pair<int, char>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
  open.emplace(0, 'a');
  while (!open.empty()) {
    auto [distance, node] = open.top();
    open.pop();
    if (!best.emplace(node, distance).second) continue;
    for (auto [other, length] : roads[node]) open.emplace(distance + length, other);
  }
  for (auto [node, distance] : best) std::printf("%c=%d ", node, distance);
  std::puts("");

  std::map<char, int> index, low;
  std::vector<char> stack;
  std::map<char, std::string> turns{{'a', "b"}, {'b', "c"},  {'c', "ad"},
                                    {'d', "e"}, {'e', "fd"}, {'f', ""}};
  int next = 0;
  std::function<void(char)> visit = [&](char node) {
    index[node] = low[node] = next++;
    stack.push_back(node);
    for (char other : turns[node]) {
      if (index.count(other) == 0) {
        visit(other);
        low[node] = std::min(low[node], low[other]);
      } else if (std::count(stack.begin(), stack.end(), other) > 0) {
        low[node] = std::min(low[node], index[other]);
      }
    }
    if (low[node] != index[node]) return;
    std::string part;
    do part += stack.back(), stack.pop_back();
    while (part.back() != node);
    std::sort(part.begin(), part.end());
    std::printf("{%s} ", part.c_str());
  };
  visit('a');
  std::puts("");

  std::vector<std::string> maze{"S.#.....", ".#...##.", "...#..#.", ".#.##.#E"};
  std::deque<std::pair<int, int>> ring{{0, 0}};
  std::vector<std::vector<int>> steps(4, std::vector<int>(8, -1));
  steps[0][0] = 0;
  while (!ring.empty()) {
    auto [r, c] = ring.front();
    ring.pop_front();
    if (maze[r][c] == 'E') std::printf("out in %d steps\n", steps[r][c]);
    for (auto [dr, dc] : {std::pair{0, 1}, {1, 0}, {0, -1}, {-1, 0}}) {
      int y = r + dr, x = c + dc;
      if (y < 0 || x < 0 || y > 3 || x > 7 || maze[y][x] == '#' || steps[y][x] >= 0) continue;
      steps[y][x] = steps[r][c] + 1;
      ring.emplace_back(y, x);
    }
  }
  std::vector<int> parent(10);
  std::iota(parent.begin(), parent.end(), 0);
  std::function<int(int)> find = [&](int n) {
    return parent[n] == n ? n : parent[n] = find(parent[n]);
  };
  for (auto [p, q] : {std::pair{0, 1}, {2, 3}, {1, 3}, {5, 6}, {6, 7}, {0, 2}})
    parent[find(p)] = find(q);
  int groups = 0;
  for (int n = 0; n < 10; ++n) groups += find(n) == n;
  std::printf("%d groups, %d\n", groups, find(0) == find(3));
  return 0;
}
