// Line 20: more memory than the limit, by every kind of page. The argument is the number of bytes
// to reach: two or three times the limit, never without end. Being killed is the expected way to be
// stopped; an errno (ENOMEM, EAGAIN) is fine where the table says so. Memory of the kernel:
// 20_kernel_buffers.cpp and 20_kernel_objects.cpp.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>

#include "attack.hpp"

namespace {

constexpr size_t kStep = 1 << 20;

void anonymous() {
  unsigned long long goal = attack::number(0);
  for (unsigned long long used = 0; used < goal; used += kStep) {
    void* page = mmap(nullptr, kStep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
      attack::stopped(errno, "mmap");
    }
    memset(page, 1, kStep);
  }
  attack::through("%llu bytes in use", goal);
}

// Memory of children counts together.
void family() {
  unsigned long long goal = attack::number(0);
  pid_t children[8];
  int ready[2];
  if (pipe(ready) != 0) {
    attack::broken("pipe");
  }
  for (pid_t& child : children) {
    child = fork();
    if (child < 0) {
      attack::stopped(errno, "fork");
    }
    if (child == 0) {
      size_t share = static_cast<size_t>(goal / 8);
      void* page = mmap(nullptr, share, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) {
        _exit(1);
      }
      memset(page, 1, share);
      (void)!write(ready[1], "r", 1);
      alarm(20);
      pause();
      _exit(0);
    }
  }
  close(ready[1]);
  int alive = 0;
  int dead = 0;
  char byte;
  while (alive + dead < 8) {
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) > 0) {
      ++dead;
      continue;
    }
    fcntl(ready[0], F_SETFL, O_NONBLOCK);
    if (read(ready[0], &byte, 1) == 1) {
      ++alive;
    } else {
      usleep(1000);
    }
  }
  if (dead > 0) {
    attack::stopped_by_signal(SIGKILL, "a child of eight");
  }
  attack::through("eight children hold %llu bytes", goal);
}

// Pages of a memory file, which no file system limit sees.
void memfd() {
  unsigned long long goal = attack::number(0);
  int fd = memfd_create("bomb", 0);
  if (fd < 0) {
    attack::stopped(errno, "memfd_create");
  }
  static char block[kStep];
  memset(block, 1, sizeof block);
  for (unsigned long long used = 0; used < goal; used += kStep) {
    if (write(fd, block, sizeof block) < 0) {
      attack::stopped(errno, "write to memfd");
    }
  }
  attack::through("%llu bytes in a memory file", goal);
}

void sysv() {
  unsigned long long goal = attack::number(0);
  int id = shmget(IPC_PRIVATE, static_cast<size_t>(goal), IPC_CREAT | 0600);
  if (id < 0) {
    attack::stopped(errno, "shmget");
  }
  void* area = shmat(id, nullptr, 0);
  if (area == reinterpret_cast<void*>(-1)) {
    attack::stopped(errno, "shmat");
  }
  shmctl(id, IPC_RMID, nullptr);
  memset(area, 1, static_cast<size_t>(goal));
  attack::through("%llu bytes of shared memory", goal);
}

// Locked memory cannot be reclaimed; the limit must hold for it too.
void locked() {
  unsigned long long goal = attack::number(0);
  mlockall(MCL_FUTURE);
  void* page = mmap(nullptr, static_cast<size_t>(goal), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (page == MAP_FAILED) {
    attack::stopped(errno, "mmap of locked memory");
  }
  memset(page, 1, static_cast<size_t>(goal));
  attack::through("%llu bytes locked", goal);
}

constexpr attack::Attack kAttacks[] = {{"anonymous", anonymous},
                                       {"family", family},
                                       {"memfd", memfd},
                                       {"sysv", sysv},
                                       {"locked", locked}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
