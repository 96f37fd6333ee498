// Six megabytes on stdout, buffered and not, and one on stderr.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char line[200];
  for (int i = 0; i < 40000; ++i) {
    int length = i * 7919 % 180;
    memset(line, 'a' + i % 26, (size_t)length);
    line[length] = '\0';
    printf("%06d %s\n", i, line);
  }
  fflush(stdout);
  static char block[1 << 20];
  memset(block, 'z', sizeof block);
  for (int i = 0; i < 2; ++i) {
    size_t done = 0;
    while (done < sizeof block) {
      ssize_t n = write(1, block + done, sizeof block - done);
      if (n <= 0) return 1;
      done += (size_t)n;
    }
  }
  for (int i = 0; i < 10000; ++i)
    fprintf(stderr, "%05d %s\n", i,
            "a line of about a hundred characters, "
            "so that a megabyte needs ten thousand of them, or nearly so");
  return 0;
}
