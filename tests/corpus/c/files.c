// Files: streams and descriptors, seeking, holes, renaming, links, listing, memory streams.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const struct dirent** a, const struct dirent** b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

int main(void) {
  mkdir("data", 0755);
  FILE* file = fopen("data/notes", "w+");
  for (int i = 0; i < 5; ++i) fprintf(file, "%d squared is %d\n", i, i * i);
  fseek(file, -16, SEEK_END);
  char text[64];
  if (fgets(text, sizeof text, file) == NULL) return 1;
  printf("%ld %s", ftell(file), text);
  rewind(file);
  int a, b;
  while (fscanf(file, "%d squared is %d\n", &a, &b) == 2) printf("%d:%d ", a, b);
  puts(feof(file) ? "end" : "stopped");
  fclose(file);

  int fd = open("data/hole", O_CREAT | O_RDWR, 0640);
  if (pwrite(fd, "end", 3, 5000000) != 3) return 1;
  struct stat info;
  fstat(fd, &info);
  printf("%ld %o %d\n", (long)info.st_size, info.st_mode & 0777, info.st_blocks < 100);
  close(fd);
  link("data/notes", "data/hard");
  symlink("notes", "data/soft");
  rename("data/notes", "data/renamed");
  stat("data/hard", &info);
  printf("%d links, soft %s\n", (int)info.st_nlink,
         access("data/soft", F_OK) == 0 ? "works" : "dangles");
  struct dirent** names;
  int count = scandir("data", &names, NULL, by_name);
  for (int i = 0; i < count; ++i) printf("%s ", names[i]->d_name);
  printf("%d\n", count);
  char* memory;
  size_t size;
  FILE* stream = open_memstream(&memory, &size);
  fprintf(stream, "%s-%03d", "memory", 7);
  fclose(stream);
  printf("%s %zu\n", memory, size);
  char name[] = "/tmp/corpusXXXXXX";
  fd = mkstemp(name);
  unlink(name);
  printf("%zd %d\n", write(fd, "unlinked", 8), access(name, F_OK));
  return 0;
}
