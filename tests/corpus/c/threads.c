// Threads: a mutex, a condition, a barrier, thread-local data, results from join.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static long total;
static int turn;
static _Thread_local int mine;

static void* add(void* argument) {
  long step = (long)argument;
  for (int i = 0; i < 10000; ++i) {
    pthread_mutex_lock(&lock);
    total += step;
    pthread_mutex_unlock(&lock);
    ++mine;
  }
  pthread_barrier_wait(&barrier);
  return (void*)(long)mine;
}

static void* play(void* argument) {
  int me = (int)(long)argument;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    while (turn % 2 != me) pthread_cond_wait(&changed, &lock);
    printf("%s ", me == 0 ? "ping" : "pong");
    ++turn;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&barrier, NULL, 4);
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, add, (void*)(i + 1));
  for (int i = 0; i < 4; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    printf("%ld ", (long)result);
  }
  printf("%ld %d\n", total, mine);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, play, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", turn);
  return 0;
}
