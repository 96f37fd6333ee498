// System calls that fail: errno, its texts, perror on stderr.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void try(const char* what, int result) {
  printf("%s: %s\n", what, result < 0 ? strerror(errno) : "worked");
}

int main(void) {
  try("open missing", open("missing", O_RDONLY));
  try("mkdir", mkdir("folder", 0755));
  try("mkdir again", mkdir("folder", 0755));
  try("open folder for writing", open("folder", O_WRONLY));
  try("create exclusively", open("file", O_CREAT | O_EXCL | O_RDWR, 0600));
  try("create exclusively again", open("file", O_CREAT | O_EXCL | O_RDWR, 0600));
  try("below a file", open("file/x", O_RDONLY));
  try("close twice", close(99));
  try("write to the read end", (int)write(open("file", O_RDONLY), "x", 1));
  try("symlink", symlink("loop", "loop"));
  try("open a loop", open("loop", O_RDONLY));
  try("rmdir of a full folder", mkdir("folder/sub", 0755) < 0 ? 0 : rmdir("folder"));
  try("exec a text", execl("./file", "file", NULL));
  try("bad descriptor", dup2(77, 78));
  errno = ENOSPC;
  perror("perror says");
  fprintf(stderr, "%s\n", opendir("nowhere") == NULL ? strerror(errno) : "opened");
  return 3;
}
