// Four megabytes through iostream, and a status.
#include <iostream>
#include <string>

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  for (int i = 0; i < 40000; ++i) {
    line.assign(static_cast<std::size_t>(i * 7919 % 200), static_cast<char>('a' + i % 26));
    std::cout << i << ' ' << line << '\n';
  }
  return std::cout.good() ? 17 : 1;
}
