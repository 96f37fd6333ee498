// Reading at address zero is status 128 + 11; what was flushed before is kept.
#include <stdio.h>

int main(void) {
  puts("about to crash");
  fflush(stdout);
  volatile int* nowhere = NULL;
  return *nowhere;
}
