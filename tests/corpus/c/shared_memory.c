// Memory shared between processes: an anonymous map, shm_open, a semaphore, a mapped file.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  sem_t ready, done;
  char text[64];
  int counter;
};

int main(void) {
  struct shared* s =
      mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&s->ready, 1, 0);
  sem_init(&s->done, 1, 0);
  if (fork() == 0) {
    sem_wait(&s->ready);
    for (char* c = s->text; *c != '\0'; ++c) *c = (char)(*c - 32);
    s->counter = (int)strlen(s->text);
    sem_post(&s->done);
    _exit(0);
  }
  strcpy(s->text, "shout");
  sem_post(&s->ready);
  sem_wait(&s->done);
  wait(NULL);
  printf("%s %d\n", s->text, s->counter);

  char name[64];
  snprintf(name, sizeof name, "/corpus-c-%d", getpid());
  int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (fd < 0 || ftruncate(fd, 1 << 20) != 0) return 1;
  int* cells = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fork() == 0) {
    for (int i = 0; i < 1 << 18; ++i) cells[i] = i;
    _exit(0);
  }
  wait(NULL);
  printf("%d %d\n", cells[1000], cells[(1 << 18) - 1]);
  int unlinked = shm_unlink(name);
  printf("%d %d\n", unlinked, shm_open(name, O_RDWR, 0));

  fd = open("mapped", O_CREAT | O_RDWR, 0600);
  if (write(fd, "lower case", 10) != 10) return 1;
  char* view = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  view[0] = 'L';
  msync(view, 10, MS_SYNC);
  char text[11] = {0};
  if (pread(fd, text, 10, 0) != 10) return 1;
  puts(text);
  return mprotect(view, 10, PROT_READ) + munmap(view, 10);
}
