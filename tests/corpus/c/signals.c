// Signals: handlers, a mask, an alarm, waiting, a child's end, a fault that is survived.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65];
static sigjmp_buf back;

static void note(int number) { ++seen[number]; }
static void escape(int number) { siglongjmp(back, number); }

int main(void) {
  struct sigaction action = {.sa_handler = note};
  int numbers[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGTERM};
  for (int i = 0; i < 5; ++i) sigaction(numbers[i], &action, NULL);
  raise(SIGUSR1);
  kill(getpid(), SIGTERM);
  printf("%d %d\n", seen[SIGUSR1], seen[SIGTERM]);

  sigset_t block, old, pending;
  sigemptyset(&block);
  sigaddset(&block, SIGUSR2);
  sigaddset(&block, SIGALRM);
  sigaddset(&block, SIGCHLD);
  sigprocmask(SIG_BLOCK, &block, &old);
  raise(SIGUSR2);
  raise(SIGUSR2);
  sigpending(&pending);
  printf("%d %d\n", seen[SIGUSR2], sigismember(&pending, SIGUSR2));
  ualarm(1000, 0);
  while (seen[SIGALRM] == 0) sigsuspend(&old);
  printf("%d %d\n", seen[SIGUSR2], seen[SIGALRM]);
  fflush(stdout);
  if (fork() == 0) _exit(5);
  while (seen[SIGCHLD] == 0) sigsuspend(&old);
  int status;
  wait(&status);
  printf("%d %d\n", seen[SIGCHLD], WEXITSTATUS(status));

  signal(SIGHUP, SIG_IGN);
  raise(SIGHUP);
  signal(SIGSEGV, escape);
  int caught = sigsetjmp(back, 1);
  if (caught == 0) {
    *(volatile int*)8 = 1;
    puts("never printed");
  }
  printf("survived %s\n", caught == SIGSEGV ? "a fault" : "nothing");
  siginfo_t info;
  sigaddset(&block, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &block, NULL);
  union sigval value = {.sival_int = 77};
  sigqueue(getpid(), SIGRTMIN, value);
  int number = sigwaitinfo(&block, &info);
  printf("%d %d\n", number == SIGRTMIN, info.si_value.sival_int);
  signal(SIGTERM, SIG_DFL);
  fflush(stdout);
  raise(SIGTERM);
  return 1;
}
