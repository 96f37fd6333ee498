// Templates at compile time: recursion, specialisation, traits, variadic packs, constexpr.
#include <array>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

template <unsigned N>
struct Factorial {
  static constexpr unsigned long value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr unsigned long value = 1;
};

constexpr auto kPrimes = [] {
  std::array<int, 12> found{};
  std::size_t count = 0;
  for (int n = 2; count < found.size(); ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (prime) found[count++] = n;
  }
  return found;
}();
static_assert(kPrimes[11] == 37 && Factorial<10>::value == 3628800);

template <typename T>
std::string kind(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return "integer " + std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return "real";
  } else if constexpr (std::is_array_v<T>) {
    return "array of " + std::to_string(std::extent_v<T>);
  } else {
    return "something";
  }
}

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

int main() {
  std::printf("%lu %d\n", Factorial<20>::value, kPrimes.back());
  std::printf("%s, %s, %s, %s\n", kind(5).c_str(), kind(2.5).c_str(), kind("text").c_str(),
              kind(nullptr).c_str());
  std::variant<int, double, std::string> values[] = {7, 2.5, std::string("word")};
  for (const auto& value : values) {
    std::visit(Overloaded{[](int n) { std::printf("int %d; ", n); },
                          [](double d) { std::printf("double %g; ", d); },
                          [](const std::string& s) { std::printf("string %s; ", s.c_str()); }},
               value);
  }
  std::puts("");
  auto joined = std::tuple_cat(std::tuple{1, 'x'}, std::pair{2.5, true});
  std::apply(
      [](auto... parts) { std::printf("%zu parts, %g\n", sizeof...(parts), (0.0 + ... + parts)); },
      joined);
  try {
    std::get<int>(values[2]);
  } catch (const std::bad_variant_access&) {
    std::puts("wrong alternative");
  }
  return 0;
}
