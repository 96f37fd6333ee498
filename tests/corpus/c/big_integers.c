// Integers of any length in base 10^9: factorials, Fibonacci numbers, powers; and limits of the
// built-in ones.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { kBase = 1000000000, kLimbs = 40 };
typedef struct {
  uint32_t limb[kLimbs];
  int used;
} Big;

static Big from(uint32_t value) { return (Big){.limb = {value}, .used = 1}; }

static void multiply(Big* n, uint32_t by) {
  uint64_t carry = 0;
  for (int i = 0; i < n->used; ++i) {
    carry += (uint64_t)n->limb[i] * by;
    n->limb[i] = (uint32_t)(carry % kBase);
    carry /= kBase;
  }
  if (carry != 0) n->limb[n->used++] = (uint32_t)carry;
}

static void add(Big* n, const Big* other) {
  uint32_t carry = 0;
  for (int i = 0; i < other->used || carry != 0; ++i) {
    if (i == n->used) n->limb[n->used++] = 0;
    uint32_t sum = n->limb[i] + carry + (i < other->used ? other->limb[i] : 0);
    n->limb[i] = sum % kBase;
    carry = sum / kBase;
  }
}

static void show(const Big* n) {
  printf("%" PRIu32, n->limb[n->used - 1]);
  for (int i = n->used - 2; i >= 0; --i) printf("%09" PRIu32, n->limb[i]);
  putchar('\n');
}

int main(void) {
  Big n = from(1);
  for (uint32_t i = 2; i <= 60; ++i) multiply(&n, i);
  show(&n);
  Big a = from(0), b = from(1);
  for (int i = 0; i < 300; ++i) {
    Big next = a;
    add(&next, &b);
    a = b;
    b = next;
  }
  show(&a);
  n = from(1);
  for (int i = 0; i < 256; ++i) multiply(&n, 2);
  show(&n);
  printf("%d %d %u %lld %" PRIu64 "\n", INT_MAX, INT_MIN, UINT_MAX, LLONG_MAX, UINT64_MAX);
  unsigned wrap = UINT_MAX;
  printf("%u %d %d %d\n", wrap + 1, -7 / 2, -7 % 2, (int8_t)200);
  __int128 wide = (__int128)INT64_MAX * INT64_MAX;
  printf("%" PRId64 " %" PRIu64 "\n", (int64_t)(wide >> 64), (uint64_t)wide);
  return 0;
}
