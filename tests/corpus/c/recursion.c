// Recursion: towers, the Ackermann function, queens, permutations.
#include <stdio.h>
#include <string.h>

static int moves;

static void hanoi(int n, char from, char to, char by) {
  if (n == 0) return;
  hanoi(n - 1, from, by, to);
  ++moves;
  if (n == 3) printf("disk %d: %c -> %c\n", n, from, to);
  hanoi(n - 1, by, to, from);
}

static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == n) return 1;
  int found = 0;
  for (int c = 0; c < n; ++c) {
    unsigned bit = 1u << c;
    if ((columns | left | right) & bit) continue;
    found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

static void permute(char* text, size_t at) {
  if (text[at] == '\0') {
    printf("%s ", text);
    return;
  }
  for (size_t i = at; text[i] != '\0'; ++i) {
    char swap = text[at];
    text[at] = text[i];
    text[i] = swap;
    permute(text, at + 1);
    swap = text[at];
    text[at] = text[i];
    text[i] = swap;
  }
}

int main(void) {
  hanoi(4, 'A', 'C', 'B');
  printf("%d moves\n", moves);
  printf("%d %d\n", ackermann(2, 3), ackermann(3, 5));
  for (int n = 4; n <= 8; ++n) printf("%d queens: %d\n", n, queens(n, 0, 0, 0, 0));
  char text[] = "abc";
  permute(text, 0);
  printf("%zu\n", strlen(text));
  return 0;
}
