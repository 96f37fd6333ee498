// Line 19: more processes than the limit. `count N`: tries for three times N and is through with
// more than N alive at once. `storm`: forks as fast as it can until the runner's time-out, never
// more than its own cap.
#include <pthread.h>

#include "attack.hpp"

namespace {

void count() {
  unsigned long limit = attack::number(0);
  unsigned long alive = 1;  // this one
  int error = 0;
  while (alive < limit * 3) {
    pid_t pid = fork();
    if (pid < 0) {
      error = errno;
      break;
    }
    if (pid == 0) {
      alarm(20);
      pause();
      _exit(0);
    }
    ++alive;
  }
  dprintf(1, "alive %lu limit %lu\n", alive, limit);
  if (alive > limit) {
    attack::through("%lu processes alive, the limit is %lu", alive, limit);
  }
  attack::stopped(error, "fork");
}

void* wait_forever(void*) {
  pause();
  return nullptr;
}
// Threads count as well.
void threads() {
  unsigned long limit = attack::number(0);
  unsigned long alive = 1;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 65536);
  int error = 0;
  while (alive < limit * 3) {
    pthread_t thread;
    error = pthread_create(&thread, &attr, wait_forever, nullptr);
    if (error != 0) {
      break;
    }
    ++alive;
  }
  if (alive > limit) {
    attack::through("%lu threads alive, the limit is %lu", alive, limit);
  }
  attack::stopped(error, "pthread_create");
}

// For the neighbour tests: doubles without end. Every process ends by itself after 30 s.
void storm() {
  alarm(30);
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    if (fork() == 0) {
      alarm(30);
    }
  }
}

constexpr attack::Attack kAttacks[] = {{"count", count}, {"threads", threads}, {"storm", storm}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
