// Arguments and environment as a C program sees them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  printf("%d\n", argc - 1);
  for (int i = 1; i < argc; ++i) printf("[%s] %zu\n", argv[i], strlen(argv[i]));
  optind = 1;
  int option;
  while ((option = getopt(argc, argv, "+vn:")) != -1) {
    printf("option %c %s\n", option, optarg ? optarg : "-");
  }
  printf("%d left, last is null: %d\n", argc - optind, argv[argc] == NULL);
  printf("%s %d\n", getenv("LANG"), getenv("MISSING") == NULL);
  setenv("ADDED", "by C", 1);
  fflush(stdout);
  return system("echo \"$ADDED\"");
}
