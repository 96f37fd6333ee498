// Edit distance, a sieve, a matrix power, and how floating point numbers print.
#include <float.h>
#include <stdio.h>
#include <string.h>

static int edit(const char* a, const char* b) {
  size_t n = strlen(a), m = strlen(b);
  int row[64];
  for (size_t j = 0; j <= m; ++j) row[j] = (int)j;
  for (size_t i = 1; i <= n; ++i) {
    int before = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= m; ++j) {
      int best = before + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      before = row[j];
      row[j] = best;
    }
  }
  return row[m];
}

int main(void) {
  printf("%d %d %d\n", edit("kitten", "sitting"), edit("", "abc"), edit("intention", "execution"));
  static char composite[200001];
  int count = 0, last = 0;
  long sum = 0;
  for (int n = 2; n <= 200000; ++n) {
    if (composite[n]) continue;
    ++count;
    sum += last = n;
    for (long m = (long)n * n; m <= 200000; m += n) composite[m] = 1;
  }
  printf("%d primes, last %d, sum %ld\n", count, last, sum);
  unsigned long result[2][2] = {{1, 0}, {0, 1}}, base[2][2] = {{1, 1}, {1, 0}};
  for (int power = 90; power > 0; power >>= 1) {
    unsigned long next[2][2];
    if (power & 1) {
      for (int i = 0; i < 4; ++i) {
        next[i / 2][i % 2] = result[i / 2][0] * base[0][i % 2] + result[i / 2][1] * base[1][i % 2];
      }
      memcpy(result, next, sizeof next);
    }
    for (int i = 0; i < 4; ++i) {
      next[i / 2][i % 2] = base[i / 2][0] * base[0][i % 2] + base[i / 2][1] * base[1][i % 2];
    }
    memcpy(base, next, sizeof next);
  }
  printf("%lu\n", result[0][1]);
  printf("%.17g %g %e %f %a %.0f %5.1f|%-8.2f|%+g\n", 0.1 + 0.2, 1e-5, 12345.678, 1e15, 0.1, 2.5,
         9.96, 3.14159, 0.0);
  double zero = 0;
  printf("%f %f %d %g %g\n", 1 / zero, -1 / zero, zero / zero == zero / zero, DBL_EPSILON,
         DBL_MIN / 4);
  printf("%d %d %.9g\n", (int)-1.9, (int)1e9, (double)0.1f);
  return 0;
}
