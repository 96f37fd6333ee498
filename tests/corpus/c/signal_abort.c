// A failed assertion is status 128 + 6.
#include <assert.h>
#include <stdio.h>

int main(void) {
  puts("about to abort");
  fflush(stdout);
  int zero = 0;
  assert(zero == 1);
  return 0;
}
