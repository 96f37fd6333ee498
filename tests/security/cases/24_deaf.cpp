// Line 24: programs that will not end. Each prints "ready" first; the runner's time-out must end
// them.
#include <sys/mman.h>

#include "attack.hpp"

namespace {

void say_ready() { (void)!write(1, "ready\n", 6); }

void stop_self() {
  say_ready();
  raise(SIGSTOP);
  for (;;) {
    pause();
  }
}
void stop_group() {
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) {
      break;
    }
  }
  say_ready();
  kill(0, SIGSTOP);
  for (;;) {
    pause();
  }
}
void ignore() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (int number = 1; number < 65; ++number) {
    signal(number, SIG_IGN);
  }
  say_ready();
  for (;;) {
    pause();
  }
}
// Another session and group than the guest gave us.
void leave_group() {
  if (fork() != 0) {
    pause();
  }
  setsid();
  if (fork() != 0) {
    _exit(0);
  }
  for (int number = 1; number < 65; ++number) {
    signal(number, SIG_IGN);
  }
  say_ready();
  for (;;) {
    pause();
  }
}
// A parent in vfork sleeps uninterruptibly until its child does something.
void uninterruptible() {
  say_ready();
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  pid_t pid = vfork();
#pragma clang diagnostic pop
  if (pid == 0) {
    for (;;) {
      pause();
    }
  }
  _exit(0);
}
void spin() {
  say_ready();
  for (volatile unsigned long i = 0;; i = i + 1) {
  }
}

constexpr attack::Attack kAttacks[] = {
    {"stop_self", stop_self},     {"stop_group", stop_group},           {"ignore", ignore},
    {"leave_group", leave_group}, {"uninterruptible", uninterruptible}, {"spin", spin}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
