// Handlers at exit in reverse order, output flushed, and the status given to exit.
#include <stdio.h>
#include <stdlib.h>

static void first(void) { puts("registered first, runs last"); }
static void second(void) { puts("registered second, runs first"); }

int main(void) {
  atexit(first);
  atexit(second);
  printf("not flushed yet, ");
  exit(42);
}
