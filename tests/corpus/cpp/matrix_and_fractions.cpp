// Operators of one's own: fractions, matrices, complex numbers, literals, comparison.
#include <complex>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

class Fraction {
 public:
  constexpr Fraction(long n = 0, long d = 1) : n_(d < 0 ? -n : n), d_(d < 0 ? -d : d) {
    if (long g = std::gcd(n_, d_); g > 1) n_ /= g, d_ /= g;
  }
  friend constexpr Fraction operator+(Fraction a, Fraction b) {
    return {a.n_ * b.d_ + b.n_ * a.d_, a.d_ * b.d_};
  }
  friend constexpr Fraction operator-(Fraction a, Fraction b) { return a + Fraction(-b.n_, b.d_); }
  friend constexpr Fraction operator*(Fraction a, Fraction b) { return {a.n_ * b.n_, a.d_ * b.d_}; }
  friend constexpr Fraction operator/(Fraction a, Fraction b) { return {a.n_ * b.d_, a.d_ * b.n_}; }
  friend constexpr bool operator==(Fraction a, Fraction b) { return a.n_ == b.n_ && a.d_ == b.d_; }
  friend constexpr bool operator<(Fraction a, Fraction b) { return a.n_ * b.d_ < b.n_ * a.d_; }
  explicit operator double() const { return static_cast<double>(n_) / static_cast<double>(d_); }
  std::string text() const {
    return d_ == 1 ? std::to_string(n_) : std::to_string(n_) + "/" + std::to_string(d_);
  }

 private:
  long n_, d_;
};
constexpr Fraction operator""_over(unsigned long long d) { return {1, static_cast<long>(d)}; }

using Matrix = std::vector<std::vector<Fraction>>;

Fraction determinant(Matrix m) {
  Fraction result = 1;
  for (std::size_t i = 0; i < m.size(); ++i) {
    std::size_t pivot = i;
    while (pivot < m.size() && m[pivot][i] == 0) ++pivot;
    if (pivot == m.size()) return 0;
    if (pivot != i) std::swap(m[pivot], m[i]), result = result * -1;
    result = result * m[i][i];
    for (std::size_t r = i + 1; r < m.size(); ++r) {
      Fraction factor = m[r][i] / m[i][i];
      for (std::size_t c = i; c < m.size(); ++c) m[r][c] = m[r][c] - factor * m[i][c];
    }
  }
  return result;
}

int main() {
  static_assert(2_over + 3_over == Fraction(5, 6));
  std::printf("%s %s %s\n", (2_over * 3_over).text().c_str(),
              (Fraction(1, -2) / 4_over).text().c_str(), (Fraction(10, 4) - 2_over).text().c_str());
  Fraction sum;
  for (long n = 1; n <= 20; ++n) sum = sum + Fraction(1, n);
  std::printf("%s %.10f %d\n", sum.text().c_str(), static_cast<double>(sum), 3_over < 2_over);
  std::printf("%s %s\n", determinant({{2, -3, 1}, {2, 0, -1}, {1, 4, 5}}).text().c_str(),
              determinant({{0, 1}, {1, 2_over}}).text().c_str());
  std::complex<double> z{3, 4};
  z *= std::complex<double>{0, 1};
  std::printf("%g%+gi %g\n", z.real(), z.imag(), std::norm(z));
  return 0;
}
