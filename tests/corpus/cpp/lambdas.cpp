// Lambdas and closures: captures, state, recursion, composition, std::function, generic ones.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

std::function<int()> counter(int start, int step) {
  return [value = start, step]() mutable { return value += step; };
}

template <typename F, typename G>
auto compose(F f, G g) {
  return [=](auto x) { return g(f(x)); };
}

int main() {
  auto a = counter(0, 1), b = counter(100, -10);
  int first = a(), second = a(), third = b();
  auto copy = a;
  std::printf("%d %d %d %d %d\n", first, second, third, a(), copy());
  int outside = 1;
  auto by_reference = [&outside](int n) { outside += n; };
  by_reference(41);
  std::printf("%d\n", outside);
  std::function<long(int)> fib = [&fib](int n) -> long {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  };
  std::printf("%ld\n", fib(20));
  auto shout = compose([](int n) { return n * 2; }, [](auto n) { return std::to_string(n) + "!"; });
  std::printf("%s\n", shout(21).c_str());
  auto sum = [](auto... values) { return (values + ... + 0); };
  std::printf("%d %d\n", sum(1, 2, 3), sum());
  std::vector<std::function<int()>> made;
  for (int i = 0; i < 3; ++i) made.push_back([i] { return i * i; });
  for (auto& f : made) std::printf("%d ", f());
  auto owned = std::make_unique<std::string>("moved in");
  auto holder = [text = std::move(owned)] { return text->size(); };
  std::printf("%zu %d\n", holder(), owned == nullptr);
  auto curried = [](int x) { return [x](int y) { return [x, y](int z) { return x * y + z; }; }; };
  std::printf("%d\n", curried(2)(3)(4));
  return 0;
}
