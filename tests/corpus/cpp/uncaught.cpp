// An exception nobody catches: terminate, its message on stderr, status 128 + 6.
#include <cstdio>
#include <stdexcept>

int main() {
  std::puts("before");
  std::fflush(stdout);
  throw std::runtime_error("nobody catches this");
}
