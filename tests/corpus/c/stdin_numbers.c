// Numbers from stdin by scanf, then the rest by lines.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int count;
  if (scanf("%d", &count) != 1) return 1;
  long sum = 0, value;
  double mean = 0;
  for (int i = 0; i < count && scanf("%ld", &value) == 1; ++i) {
    sum += value;
    mean += ((double)value - mean) / (i + 1);
  }
  printf("%d numbers, sum %ld, mean %.4f\n", count, sum, mean);
  char* line = NULL;
  size_t room = 0;
  ssize_t length;
  int number = 0;
  while ((length = getline(&line, &room, stdin)) > 0) {
    if (line[length - 1] == '\n') line[--length] = '\0';
    printf("%d: %zd [%s]\n", number++, length, line);
  }
  free(line);
  printf("end %d\n", feof(stdin) != 0);
  return 0;
}
