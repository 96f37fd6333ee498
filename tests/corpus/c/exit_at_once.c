// _exit skips handlers and buffers; only the low eight bits of the status count.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void) { puts("never printed"); }

int main(void) {
  atexit(never);
  puts("flushed");
  fflush(stdout);
  printf("lost in the buffer");
  _exit(256 + 7);
}
